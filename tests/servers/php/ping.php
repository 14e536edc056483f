<?php
// The least that a worker can do.
echo "pong\n";
