<?php

namespace App;

use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Routing\Controller;
use Illuminate\Support\Facades\DB;

class Api extends Controller
{
    private const ROWS = 10000;

    // The framework and nothing else.
    public function ping(): JsonResponse
    {
        return response()->json(['pong' => true]);
    }

    // One row by its primary key.
    public function db(): JsonResponse
    {
        return response()->json(DB::table('items')->find(random_int(1, self::ROWS)));
    }

    // Holds its worker and a database connection for ?ms=N, a tenth of a second unless told, at
    // next to no CPU.
    public function slow(Request $request): JsonResponse
    {
        DB::select('select pg_sleep(?)', [min(1000, (int) $request->query('ms', 100)) / 1000]);

        return response()->json(['slept' => true]);
    }
}
