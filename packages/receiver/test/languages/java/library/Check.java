import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;

import static java.nio.charset.StandardCharsets.UTF_8;

class Check {
    public static void main(String[] args) throws Exception {
        var library = new Library(System.getenv("WEBHOOK_SECRET"));
        for (var line : new BufferedReader(new InputStreamReader(System.in, UTF_8)).lines().toList()) {
            var fields = line.split("\t", -1);
            var headers = new HashMap<String, List<String>>();
            for (var pair : fields[4].split(",")) {
                var parts = pair.split(":", -1);
                headers.put(new String(decode(parts[0]), UTF_8), List.of(new String(decode(parts[1]), UTF_8)));
            }
            System.out.println(library.isGenuine(headers, decode(fields[2])) ? "accepted" : "refused");
        }
    }

    private static byte[] decode(String base64) {
        return Base64.getDecoder().decode(base64);
    }
}
