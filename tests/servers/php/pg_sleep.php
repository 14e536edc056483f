<?php
// Holds its worker and one PostgreSQL connection for ?ms=N. The DSN is PG_DSN of the environment;
// PG_PERSISTENT=1 keeps the worker's connection. A refused connection is a 500.
try {
    $options = [
        PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
        PDO::ATTR_PERSISTENT => getenv('PG_PERSISTENT') === '1',
    ];
    $database = new PDO(getenv('PG_DSN'), getenv('PG_USER') ?: null, null, $options);
    $sleep = $database->prepare('select pg_sleep(?::float / 1000)');
    $sleep->execute([(int) ($_GET['ms'] ?? 100)]);
    echo "slept\n";
} catch (PDOException $error) {
    http_response_code(500);
    echo $error->getMessage(), "\n";
}
