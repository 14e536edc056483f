<?php

namespace App;

use Illuminate\Foundation\Http\Kernel;
use Illuminate\Foundation\Http\Middleware;
use Illuminate\Routing\Middleware\SubstituteBindings;

// What a new Laravel project runs for an API, but for its rate limit.
class HttpKernel extends Kernel
{
    protected $middleware = [
        Middleware\PreventRequestsDuringMaintenance::class,
        Middleware\ValidatePostSize::class,
        Middleware\TrimStrings::class,
        Middleware\ConvertEmptyStringsToNull::class,
    ];

    protected $middlewareGroups = ['api' => [SubstituteBindings::class]];
}
