<?php

// The framework as Debian installs it, without Composer. Everything it writes goes to the folder
// LAB_STORAGE and to the files the APP_*_CACHE variables name: this folder is never written to.

require_once 'Illuminate/autoload.php';

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'App\\')) {
        require __DIR__.'/../app/'.str_replace('\\', '/', substr($class, 4)).'.php';
    }
});

$app = new Illuminate\Foundation\Application(dirname(__DIR__));
$app->useStoragePath(getenv('LAB_STORAGE'));
$app->singleton(Illuminate\Contracts\Http\Kernel::class, App\HttpKernel::class);
$app->singleton(
    Illuminate\Contracts\Console\Kernel::class,
    Illuminate\Foundation\Console\Kernel::class,
);
$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, App\ErrorsAsJson::class);

return $app;
