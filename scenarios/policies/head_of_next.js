"use strict";
/**
 * A prefetch policy for Node 18 or later: some seconds of the next item, less of those after it.
 *
 * It is the program's own family `head` (policy.prefetch.kind), event by event and command by
 * command. FirstFrame starts it (policy.prefetch.command), sends one message a line and waits for
 * one line; docs/reference/policy-protocol.md says what stands in them. What it says on standard
 * error is shown when something goes wrong.
 *
 * head_of_next.js is made of this file: tsc --strict --target ES2022 --lib ES2022 --module commonjs
 */
const crypto = require("crypto");
const fs = require("fs");
/** Times are whole nanoseconds. */
const SECOND = 1000000000;
/** Stages of an item; those between are for policies that warm up. */
const STAGES = ["nothing", "connection", "playlists", "init", "media"];
const MEDIA = 4;
const NEXT = 0;
const FURTHER = 1;
const PREVIOUS = 3;
/** What `policy.prefetch` says of the family; the defaults are its defaults. */
class Settings {
    headLength = 6 * SECOND;
    furtherLength = 2 * SECOND;
    previousLength = 2 * SECOND;
    previousThreshold = 3;
    concurrency = 2;
    pauseBelowBuffer = 4 * SECOND;
    itemsAhead = 3;
}
function mediaOf(length) {
    return length > 0 ? { stage: MEDIA, length } : { stage: 0, length: 0 };
}
function isAtLeast(a, b) {
    return a.stage !== b.stage ? a.stage > b.stage : a.length >= b.length;
}
/** What is known of one item. */
class ItemRecord {
    item;
    held = { stage: 0, length: 0 };
    state = "idle";
    wanted = { stage: 0, length: 0 };
    constructor(item) {
        this.item = item;
    }
}
/** The policy of one viewer. */
class HeadOfNext {
    settings;
    records = [];
    mostRecords;
    current = null;
    last = 0;
    ahead = 0;
    isComplete = false;
    throughput = 0;
    bitrate = 0;
    isOnline = true;
    isHeld = false;
    plan = [];
    isPlanned = false;
    active = 0;
    /** Whether nothing begins because of the buffer until something else has happened. */
    isSettled = false;
    constructor(settings) {
        this.settings = settings;
        this.mostRecords = 2 * (settings.itemsAhead + 2) + 8;
    }
    /** The commands for one event. */
    handle(event) {
        const commands = [];
        const kind = event.event;
        if (kind !== "extended" && kind !== "buffer" && kind !== "throughput")
            this.isSettled = false;
        switch (kind) {
            case "moved":
                this.last = Math.max(this.last, event.last, event.current);
                this.move(event.current, commands);
                break;
            case "extended":
                this.isPlanned = this.isPlanned && event.last <= this.last;
                this.last = Math.max(this.last, event.last);
                break;
            case "buffer":
                this.ahead = Math.max(0, Math.min(event.ahead, 86400 * SECOND));
                this.isComplete = event.isComplete;
                break;
            case "throughput":
                if (this.throughput !== event.throughput)
                    this.isPlanned = false;
                if (this.bitrate !== event.bitrate)
                    this.isPlanned = false;
                this.throughput = event.throughput;
                this.bitrate = event.bitrate;
                break;
            case "reached":
                this.hold(event.item, mediaOf(event.length));
                break;
            case "stage":
                this.hold(event.item, { stage: STAGES.indexOf(event.stage), length: 0 });
                break;
            case "failed":
                this.fail(event.item);
                break;
            case "withdrawn":
                this.withdraw(event.item, commands);
                break;
            case "online":
                this.isOnline = event.isOnline;
                if (!this.isOnline)
                    this.suspendAll(commands);
                break;
            case "held":
                this.isHeld = event.isHeld;
                break;
            default:
                return commands; // It asked for no other.
        }
        this.makePlan();
        this.startWaiting(commands);
        return commands;
    }
    // Events
    move(item, commands) {
        if (item !== this.current) {
            this.ahead = 0;
            this.isComplete = false;
        }
        this.current = item;
        this.isPlanned = false;
        this.makePlan();
        for (const record of this.records) {
            if (record.state === "failed") {
                record.state = "idle";
            }
            else if (record.state === "fetching") {
                if (record.item !== item && this.plan.some((wish) => wish.item === record.item))
                    continue;
                record.state = "idle";
                this.active -= 1;
                if (record.item !== item)
                    commands.push({ do: "cancel", item: record.item });
            }
        }
    }
    hold(item, depth) {
        const record = this.find(item) ?? this.add(item);
        if (record === null)
            return;
        if (isAtLeast(depth, record.held))
            record.held = depth;
        if (record.state === "fetching" && isAtLeast(depth, record.wanted)) {
            record.state = "idle";
            this.active -= 1;
        }
    }
    fail(item) {
        const record = this.find(item);
        if (record === null || record.state !== "fetching")
            return;
        record.state = "failed";
        this.active -= 1;
    }
    withdraw(item, commands) {
        if (item === this.current)
            return;
        const record = this.find(item) ?? this.add(item);
        if (record === null || record.state === "failed")
            return;
        if (record.state === "fetching") {
            this.active -= 1;
            commands.push({ do: "cancel", item });
        }
        record.state = "failed";
    }
    suspendAll(commands) {
        for (const record of this.records) {
            if (record.state !== "fetching")
                continue;
            record.state = "idle";
            this.active -= 1;
            commands.push({ do: "suspend", item: record.item });
        }
    }
    // What is wanted
    makePlan() {
        if (this.isPlanned)
            return;
        const plan = this.wishes();
        this.isPlanned = true;
        const isEqual = plan.length === this.plan.length &&
            plan.every((wish, place) => {
                const other = this.plan[place];
                return (wish.item === other.item &&
                    wish.depth.length === other.depth.length &&
                    wish.priority === other.priority &&
                    wish.first === other.first);
            });
        if (isEqual)
            return;
        this.plan = plan;
        this.isSettled = false;
    }
    wishes() {
        const settings = this.settings;
        const plan = [];
        if (this.current === null || settings.headLength <= 0)
            return plan;
        const reach = Math.min(settings.itemsAhead, this.last - this.current);
        for (let offset = 1; offset <= reach; offset += 1) {
            const length = offset === 1 ? settings.headLength : settings.furtherLength;
            if (length <= 0)
                continue;
            plan.push({
                item: this.current + offset,
                depth: { stage: MEDIA, length },
                priority: offset === 1 ? NEXT : FURTHER,
                first: null,
            });
        }
        const needed = this.bitrate * settings.previousThreshold;
        const isAffordable = this.bitrate > 0 && this.throughput >= needed;
        if (this.current > 0 && isAffordable && settings.previousLength > 0) {
            plan.push({
                item: this.current - 1,
                depth: { stage: MEDIA, length: settings.previousLength },
                priority: PREVIOUS,
                first: reach >= 1 ? this.current + 1 : null,
            });
        }
        return plan;
    }
    // Starts
    startWaiting(commands) {
        const isOpen = this.isComplete || this.ahead >= this.settings.pauseBelowBuffer;
        if (!this.isOnline || this.isHeld || !isOpen || this.isSettled)
            return;
        this.isSettled = true;
        for (const wish of this.plan) {
            if (wish.first !== null && this.isWarming(wish.first))
                continue;
            let record = this.find(wish.item);
            const isRunning = record !== null && record.state === "fetching";
            if (record !== null) {
                if (isAtLeast(record.held, wish.depth) || record.state === "failed")
                    continue;
                if (isRunning && isAtLeast(record.wanted, wish.depth))
                    continue;
            }
            if (!isRunning && this.active >= this.settings.concurrency)
                return;
            record = record ?? this.add(wish.item);
            if (record === null)
                return;
            if (!isRunning)
                this.active += 1;
            record.state = "fetching";
            record.wanted = wish.depth;
            commands.push({
                do: "start",
                item: wish.item,
                length: wish.depth.length,
                priority: wish.priority,
            });
        }
    }
    /** Whether a fetch of the item is in progress or still to come. */
    isWarming(item) {
        return this.plan.some((wish) => {
            if (wish.item !== item)
                return false;
            const record = this.find(item);
            if (record === null)
                return true;
            return record.state !== "failed" && !isAtLeast(record.held, wish.depth);
        });
    }
    /**
     * Kinds of events after which nothing begins until something else has happened. A full buffer
     * opens the way, and a fast link makes the item before affordable. Whoever has begun all that he
     * may begins nothing more of the one; where the way is closed, or the item before is there, the
     * other changes nothing.
     */
    deafTo() {
        if (!this.isSettled)
            return ["throughput"];
        return this.missesPrevious() ? ["buffer"] : ["buffer", "throughput"];
    }
    /** Whether the item before would be fetched if the link were fast enough. */
    missesPrevious() {
        const depth = { stage: MEDIA, length: this.settings.previousLength };
        if (!this.current || depth.length <= 0)
            return false;
        const record = this.find(this.current - 1);
        if (record === null)
            return true;
        if (isAtLeast(record.held, depth) || record.state === "failed")
            return false;
        return record.state !== "fetching" || !isAtLeast(record.wanted, depth);
    }
    // Records
    find(item) {
        for (const record of this.records)
            if (record.item === item)
                return record;
        return null;
    }
    /** A new record, in the place of the idle one that is farthest when there are too many. */
    add(item) {
        const record = new ItemRecord(item);
        if (this.records.length < this.mostRecords) {
            this.records.push(record);
            return record;
        }
        const centre = this.current ?? 0;
        let farthest = -1;
        let distance = Math.abs(item - centre);
        this.records.forEach((other, place) => {
            if (other.state === "fetching" || Math.abs(other.item - centre) <= distance)
                return;
            farthest = place;
            distance = Math.abs(other.item - centre);
        });
        if (farthest < 0)
            return null;
        this.records[farthest] = record;
        return record;
    }
}
/** What one viewer's policy was told and did, for `firstframe replay policy`. */
class PolicyLog {
    file;
    /** Nothing where another process of the policy has begun the file. */
    static open(path, settings) {
        if (path === undefined || fs.existsSync(path))
            return null;
        return new PolicyLog(fs.openSync(path, "wx"), settings);
    }
    constructor(file, settings) {
        this.file = file;
        this.line("firstframe-policy-log", 1);
        this.line("machine", "prefetch-policy");
        const { headLength, itemsAhead, furtherLength, previousLength } = settings;
        const known = [headLength, itemsAhead, furtherLength, previousLength];
        const limits = [settings.concurrency, settings.pauseBelowBuffer];
        // The family `head`, and values for what it does not read.
        const rest = [0, 2 * SECOND, ...[-1, 0.5, 4, -1].map(bits), false, 1, SECOND, 1, bits(1)];
        this.line("configuration", ...known, bits(settings.previousThreshold), ...limits, ...rest);
    }
    add(event, commands) {
        this.line("event", ...Object.values(event));
        for (const command of commands)
            this.line("command", ...Object.values(command));
    }
    line(...words) {
        const texts = words.map((word) => {
            if (typeof word === "boolean")
                return word ? 1 : 0;
            // "All of it" is more than a number can hold here.
            if (typeof word === "number" && !Number.isSafeInteger(word))
                return "9223372036854775807";
            return STAGES.includes(word) ? STAGES.indexOf(word) : word;
        });
        fs.writeSync(this.file, texts.join(" ") + "\n");
    }
}
/** The pattern of a double as a whole number. */
function bits(number) {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, number);
    return view.getBigUint64(0);
}
/** The messages, one a line: its length in bytes, a blank, JSON. */
function* messages() {
    let rest = Buffer.alloc(0);
    const chunk = Buffer.alloc(65536);
    while (true) {
        const end = rest.indexOf(10);
        if (end >= 0) {
            const line = rest.subarray(0, end);
            rest = rest.subarray(end + 1);
            const blank = line.indexOf(32);
            const body = line.subarray(blank + 1);
            if (body.length !== Number(line.subarray(0, blank)))
                throw new Error("a message was cut");
            yield JSON.parse(body.toString());
            continue;
        }
        const count = fs.readSync(0, chunk, 0, chunk.length, null);
        if (count === 0)
            return;
        rest = Buffer.concat([rest, chunk.subarray(0, count)]);
    }
}
function answer(message) {
    const body = JSON.stringify(message);
    fs.writeSync(1, `${Buffer.byteLength(body)} ${body}\n`);
}
function main() {
    const settings = new Settings();
    const option = (name) => {
        const place = process.argv.indexOf(name);
        return place >= 0 ? process.argv[place + 1] : undefined;
    };
    const head = option("--head-length");
    if (head !== undefined)
        settings.headLength = Math.round(Number(head) * SECOND);
    let log = null;
    const viewers = new Map();
    for (const message of messages()) {
        if (message.hello) {
            settings.itemsAhead = message.itemsAhead;
            log = PolicyLog.open(option("--log"), settings);
            const code = fs.readFileSync(__filename);
            const digest = crypto.createHash("sha256").update(code).digest("hex");
            answer({ name: "head-of-next-node", version: "1.0", digest });
            continue;
        }
        let policy = viewers.get(message.viewer);
        if (policy === undefined) {
            policy = new HeadOfNext(settings);
            viewers.set(message.viewer, policy);
        }
        if (message.close) {
            viewers.delete(message.viewer);
            continue;
        }
        const own = policy;
        const commands = message.told.map((event) => own.handle(event));
        if (log !== null && message.viewer === 0) {
            for (const [place, event] of message.told.entries())
                log.add(event, commands[place]);
        }
        const hold = policy.deafTo();
        answer({ viewer: message.viewer, sequence: message.sequence, commands, hold });
    }
}
main();
