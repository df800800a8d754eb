using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

public static class Check
{
    // If RECEIVER is defined, the class Receiver, which needs Newtonsoft.Json, also reads the text.
    public static void Main()
    {
        for (string line; (line = Console.ReadLine()) != null; )
        {
            var fields = line.Split('\t');
            var headers = fields[4].Split(',').Where(pair => pair != "").Select(pair => pair.Split(':'))
                .Select(pair => new KeyValuePair<string, string>(Decode(pair[0]), Decode(pair[1])));
            try
            {
                var now = DateTimeOffset.FromUnixTimeSeconds(long.Parse(fields[0]));
                var signed = Webhook.ReadSigned(headers, now, long.Parse(fields[1]));
                var text = Webhook.Verify(fields[3].Split(',').Select(Decode), signed, Convert.FromBase64String(fields[2]));
#if RECEIVER
                Console.WriteLine((string)Receiver.ReadEvent(text)["id"]);
#else
                Console.WriteLine("verified");
#endif
            }
            catch (Webhook.Refused refused)
            {
                Console.WriteLine(refused.Message);
            }
        }
    }

    static string Decode(string base64) => Encoding.UTF8.GetString(Convert.FromBase64String(base64));
}
