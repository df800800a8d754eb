package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		now, _ := strconv.ParseInt(fields[0], 10, 64)
		tolerance, _ := strconv.ParseInt(fields[1], 10, 64)
		var secrets []string
		for _, secret := range strings.Split(fields[3], ",") {
			secrets = append(secrets, decode(secret))
		}
		headers := http.Header{}
		for _, pair := range strings.Split(fields[4], ",") {
			if name, value, found := strings.Cut(pair, ":"); found {
				headers.Add(decode(name), decode(value))
			}
		}
		signed, err := ReadSigned(headers, time.Unix(now, 0), tolerance)
		var event Event
		if err == nil {
			event, err = Verify(secrets, signed, []byte(decode(fields[2])))
		}
		if err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(event.ID)
		}
	}
}

func decode(text string) string {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return string(bytes)
}
