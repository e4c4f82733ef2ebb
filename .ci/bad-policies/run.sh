F=$1; cd "$(dirname "$0")"; rm -rf out
t() { echo "--- $1"; printf 'extends: study.yaml\npolicy:\n  prefetch:\n    kind: external\n    timeout: 500 ms\n    command: %s\n' "$2" > x.yaml; s=$(date +%s%N); FIRSTFRAME_PILOTS=off timeout 60 $F run x.yaml --quiet --replications 3 --threads 2 --output out ${3:-} > o.txt 2> e.txt; c=$?; e=$(date +%s%N); echo "exit $c, $(( (e-s)/1000000 )) ms, lines $(wc -l < e.txt)"; cut -c1-400 e.txt; }
w() { t "$1" "[python3, wild.py, $(python3 -c 'import json,sys; print(json.dumps(sys.argv[1]))' "$2")]"; }
t "does not exist" '[./nobody]'
t "exits at once" '["false"]'
t "prints garbage at once" '[echo, hello]'
w "garbage" "print('hello world', flush=True)"
w "exits later" "if n > 5: print('tired', file=sys.stderr); sys.exit(3)
else: say(answer)"
w "another request" "answer['sequence'] += 1; say(answer)"
w "sleeps" "time.sleep(60)"
w "forks" "
if os.fork(): os._exit(0)
time.sleep(60)"
w "1 GB" "
sys.stdout.write('1000000000 ')
for _ in range(1000): sys.stdout.write('x' * 1000000)"
w "1 GB on standard error" "
sys.stderr.write('x' * 100000000); say(answer)"
w "nondeterministic" "
if message['told'][0]['event'] == 'moved': answer['commands'][0] = [{'do': 'start', 'item': message['told'][0]['current'] + 1, 'priority': 0, 'length': random.randint(1, 10**10)}] if message['told'][0]['current'] < message['told'][0]['last'] else []
say(answer)"
w "nonsense command" "
answer['commands'][0] = [{'do': 'start', 'item': 999, 'priority': 0, 'length': 5}]
say(answer)"
sleep 1; echo "left: $(pgrep -fc wild.py)"
