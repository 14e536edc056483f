<?php

// No request uses a session, but the framework makes one ready.
return ['driver' => 'array', 'lifetime' => 120, 'cookie' => 'lab'];
