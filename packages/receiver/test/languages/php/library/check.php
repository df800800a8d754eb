<?php

error_reporting(E_ERROR);
foreach (glob(getenv('STANDARD_WEBHOOKS') . '/php/src/{Exception/,}*.php', GLOB_BRACE) as $file) {
    require $file;
}
require __DIR__ . '/library.php';

foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [, , $body, , $list] = explode("\t", $line);
    $pairs = array_map(fn($pair) => array_map('base64_decode', explode(':', $pair)), explode(',', $list));
    $event = receive(array_column($pairs, 1, 0), base64_decode($body));
    echo $event === null ? "refused\n" : "accepted\n";
}
