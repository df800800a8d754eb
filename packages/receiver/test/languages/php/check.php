<?php

require __DIR__ . '/webhook.php';

foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    [$now, $tolerance, $body, $secrets, $headers] = explode("\t", $line);
    $pairs = array_map(fn($pair) => array_map('base64_decode', explode(':', $pair)), array_filter(explode(',', $headers)));
    $secrets = array_map('base64_decode', explode(',', $secrets));
    try {
        echo verify_webhook($secrets, array_values($pairs), base64_decode($body), (int) $now, (int) $tolerance)->id, "\n";
    } catch (Refused $refused) {
        echo $refused->getMessage(), "\n";
    }
}
