// A server whose collector can be kept busy: /fast answers at once, /alloc?512 allocates so many
// objects of 1 KiB beside a live heap of LIVE_MIB. Prints its port as its first line.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
)

type node struct {
	next    *node
	payload [48]byte
}

var live []*node

// Small objects with pointers: what is live has to be marked in every cycle.
func grow(mebibytes int) {
	const chain = 16
	for count := mebibytes << 20 / 56 / chain; count > 0; count-- {
		var head *node
		for length := 0; length < chain; length++ {
			head = &node{next: head}
		}
		live = append(live, head)
	}
}

func setting(name string, otherwise int) int {
	if value, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return value
	}
	return otherwise
}

var sink [64]*[1024]byte

func alloc(response http.ResponseWriter, request *http.Request) {
	objects, err := strconv.Atoi(request.URL.RawQuery)
	if err != nil {
		objects = 512
	}
	for index := 0; index < objects; index++ {
		sink[index%len(sink)] = new([1024]byte)
	}
	fmt.Fprintln(response, objects)
}

func main() {
	grow(setting("LIVE_MIB", 0))
	http.HandleFunc("/fast", func(response http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(response, "ok")
	})
	http.HandleFunc("/alloc", alloc)
	listener, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(setting("PORT", 0)))
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, nil))
}
