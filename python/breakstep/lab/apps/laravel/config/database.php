<?php

return [
    'default' => 'pgsql',
    'connections' => [
        'pgsql' => [
            'driver' => 'pgsql',
            'host' => '127.0.0.1',
            'port' => env('DB_PORT'),
            'database' => 'postgres',
            'username' => env('DB_USERNAME'),
            'password' => env('DB_PASSWORD'),
            'charset' => 'utf8',
            'schema' => 'public',
            'sslmode' => 'disable',
            'options' => [
                // Keeps the worker's connection from one request to the next.
                PDO::ATTR_PERSISTENT => (bool) env('DB_PERSISTENT', false),
                // A pooler in transaction mode loses statements prepared on the server.
                PDO::ATTR_EMULATE_PREPARES => (bool) env('DB_EMULATE_PREPARES', false),
            ],
        ],
    ],
];
