<?php

namespace App;

use Illuminate\Foundation\Exceptions\Handler;
use Throwable;

// An API answers a failure in JSON, whatever the client accepts.
class ErrorsAsJson extends Handler
{
    protected function shouldReturnJson($request, Throwable $e)
    {
        return true;
    }
}
