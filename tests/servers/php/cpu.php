<?php
// CPU and nothing else: ?rounds=N of one hash, or hashing until ?ms=N of CPU time are used.
function cpu_ms(): float
{
    $used = getrusage();
    return ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) * 1e3
        + ($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) / 1e3;
}

$text = 'breakstep';
if (isset($_GET['ms'])) {
    $until = cpu_ms() + (float) $_GET['ms'];
    do {
        $text = hash('sha256', $text);
    } while (cpu_ms() < $until);
} else {
    $text = hash_pbkdf2('sha256', $text, 'salt', max(1, (int) ($_GET['rounds'] ?? 10000)));
}
echo "$text\n";
