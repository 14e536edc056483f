<?php
// Holds its worker for ?ms=N without using the CPU.
usleep(1000 * (int) ($_GET['ms'] ?? 100));
echo "waited\n";
