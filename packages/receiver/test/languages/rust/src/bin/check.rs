use data_encoding::BASE64;
use receiver::{read_signed, verify};
use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let fields: Vec<&str> = line.split('\t').collect();
        let secrets: Vec<String> = fields[3].split(',').map(decode).collect();
        let headers: Vec<(String, String)> = fields[4]
            .split(',')
            .filter_map(|pair| pair.split_once(':'))
            .map(|(name, value)| (decode(name), decode(value)))
            .collect();
        let body = BASE64.decode(fields[2].as_bytes()).unwrap();
        let event = read_signed(&headers, fields[0].parse().unwrap(), fields[1].parse().unwrap())
            .and_then(|signed| verify(&secrets, &signed, &body));
        match event {
            Ok(event) => println!("{}", event["id"].as_str().unwrap()),
            Err(reason) => println!("{reason}"),
        }
    }
}

fn decode(base64: &str) -> String {
    String::from_utf8(BASE64.decode(base64.as_bytes()).unwrap()).unwrap()
}
