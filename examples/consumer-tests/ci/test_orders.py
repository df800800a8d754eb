import json
import os
import queue
import threading
import time
import unittest
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

import webhook  # of docs/receive/python.md

URL, KEY, INSTANCE = (os.environ[name] for name in ('TRUNKLINE_URL', 'TRUNKLINE_API_KEY', 'INSTANCE'))


def call(path, body):
    headers = {'Authorization': f'Bearer {KEY}', 'Content-Type': 'application/json'}
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)['data']


class Receiver(BaseHTTPRequestHandler):
    """In a test of your own, this is your app."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        try:
            self.server.events.put(webhook.verify(self.server.secrets, self.headers.items(), body, time.time()))
            self.send_response(204)
        except webhook.Refused as refused:
            self.send_response(refused.status)
        self.end_headers()

    def log_request(self, *_):
        pass


class Orders(unittest.TestCase):
    def setUp(self):
        self.server = HTTPServer(('127.0.0.1', 0), Receiver)
        self.addCleanup(self.server.server_close)
        self.server.events = queue.Queue()
        url = f'http://127.0.0.1:{self.server.server_port}/webhooks'
        events = ['message.received', 'message.read', 'message.failed']
        self.server.secrets = [call('/api/v1/webhooks', {'url': url, 'events': events})['secret']]
        threading.Thread(target=self.server.serve_forever).start()
        self.addCleanup(self.server.shutdown)

    def next_event(self):
        return self.server.events.get(timeout=60)

    def test_hears_a_customer(self):
        call(f'/sandbox/instances/{INSTANCE}/messages', {'from': '15550100', 'text': 'STOP'})
        message = self.next_event()['data']['message']
        self.assertEqual((message['from'], message['text']), ('15550100', 'STOP'))

    def test_hears_that_a_message_failed(self):
        # A number that ends in 0003 refuses: docs/sandbox.md
        sent = call('/api/v1/messages', {'instance': INSTANCE, 'to': '+1 555 555 0003', 'type': 'text', 'text': 'Hello'})
        event = self.next_event()
        self.assertEqual((event['type'], event['data']['message']['id']), ('message.failed', sent['id']))
