<?php

namespace App;

use Illuminate\Foundation\Support\Providers\RouteServiceProvider;
use Illuminate\Support\Facades\Route;

class Routes extends RouteServiceProvider
{
    public function boot(): void
    {
        $this->routes(static function (): void {
            Route::prefix('api')->middleware('api')->group(base_path('routes/api.php'));
        });
    }
}
