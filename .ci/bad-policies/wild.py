import json, os, random, sys, time
THEN = sys.argv[1]
def say(message):
    body = message if isinstance(message, str) else json.dumps(message)
    sys.stdout.write(f"{len(body)} {body}\n")
    sys.stdout.flush()
n = 0
for line in sys.stdin:
    message = json.loads(line.partition(" ")[2])
    if "hello" in message:
        say({"name": "wild", "version": "1", "digest": "0" * 64})
        continue
    if "close" in message:
        continue
    answer = {"viewer": message["viewer"], "sequence": message["sequence"], "commands": [[] for _ in message["told"]]}
    n += 1
    exec(THEN)
