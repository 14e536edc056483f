<?php

use App\Api;
use Illuminate\Support\Facades\Route;

Route::get('/ping', [Api::class, 'ping']);
Route::get('/db', [Api::class, 'db']);
Route::get('/slow', [Api::class, 'slow']);
