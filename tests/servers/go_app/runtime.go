package main

import (
	"expvar"
	"fmt"
	"net/http"
	"runtime/metrics"
)

func init() {
	expvar.Publish("runtime", expvar.Func(func() any {
		samples := []metrics.Sample{
			{Name: "/cpu/classes/gc/mark/assist:cpu-seconds"},
			{Name: "/cpu/classes/gc/mark/dedicated:cpu-seconds"},
			{Name: "/cpu/classes/gc/pause:cpu-seconds"},
			{Name: "/gc/cycles/total:gc-cycles"},
			{Name: "/gc/heap/goal:bytes"},
			{Name: "/memory/classes/heap/objects:bytes"},
			{Name: "/sched/gomaxprocs:threads"},
			{Name: "/sched/goroutines:goroutines"},
		}
		metrics.Read(samples)
		values := map[string]float64{}
		for _, sample := range samples {
			switch sample.Value.Kind() {
			case metrics.KindUint64:
				values[sample.Name] = float64(sample.Value.Uint64())
			case metrics.KindFloat64:
				values[sample.Name] = sample.Value.Float64()
			}
		}
		return values
	}))
	http.HandleFunc("/debug/runtime", func(response http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(response, expvar.Get("runtime"))
	})
}
