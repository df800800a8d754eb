package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		headers := http.Header{}
		for _, pair := range strings.Split(fields[4], ",") {
			name, value, _ := strings.Cut(pair, ":")
			headers.Add(string(decode(name)), string(decode(value)))
		}
		if _, err := receive(headers, decode(fields[2])); err != nil {
			fmt.Println("refused")
		} else {
			fmt.Println("accepted")
		}
	}
}

func decode(text string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return bytes
}
