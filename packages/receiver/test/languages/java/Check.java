import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.stream.Stream;

import static java.nio.charset.StandardCharsets.UTF_8;

class Check {
    /** With an argument, the class Receiver, which needs Jackson, also reads the text. */
    public static void main(String[] args) throws Exception {
        var read = args.length == 0 ? null : Class.forName("Receiver").getDeclaredMethod("readEvent", String.class);
        if (read != null) read.setAccessible(true);
        for (var line : new BufferedReader(new InputStreamReader(System.in, UTF_8)).lines().toList()) {
            var fields = line.split("\t", -1);
            var headers = new HashMap<String, List<String>>();
            for (var pair : fields[4].split(",")) {
                var parts = Stream.of(pair.split(":", -1)).map(Check::decode).toList();
                if (parts.size() > 1) headers.computeIfAbsent(parts.get(0), name -> new ArrayList<>()).add(parts.get(1));
            }
            var secrets = Stream.of(fields[3].split(",")).map(Check::decode).toList();
            var body = Base64.getDecoder().decode(fields[2]);
            try {
                var now = Instant.ofEpochSecond(Long.parseLong(fields[0]));
                var signed = Webhook.readSigned(headers, now, Long.parseLong(fields[1]));
                var text = Webhook.verify(secrets, signed, body);
                if (read == null) {
                    System.out.println("verified");
                    continue;
                }
                var event = read.invoke(null, text);
                System.out.println(event.toString().replaceFirst(".*?\"id\":\"(.*?)\".*", "$1"));
            } catch (Webhook.Refused refused) {
                System.out.println(refused.getMessage());
            } catch (java.lang.reflect.InvocationTargetException e) {
                System.out.println(e.getCause().getMessage());
            }
        }
    }

    private static String decode(String base64) {
        return new String(Base64.getDecoder().decode(base64), UTF_8);
    }
}
