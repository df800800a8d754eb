using System;
using System.Net;
using System.Text;

public static class Check
{
    public static void Main()
    {
        for (string line; (line = Console.ReadLine()) != null; )
        {
            var fields = line.Split('\t');
            var headers = new WebHeaderCollection();
            foreach (var pair in fields[4].Split(','))
            {
                var parts = pair.Split(':');
                headers.Add(Decode(parts[0]), Decode(parts[1]));
            }
            Console.WriteLine(Library.IsGenuine(headers, Convert.FromBase64String(fields[2])) ? "accepted" : "refused");
        }
    }

    static string Decode(string base64) => Encoding.UTF8.GetString(Convert.FromBase64String(base64));
}
