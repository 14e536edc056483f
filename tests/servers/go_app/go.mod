module goapp

go 1.20
