import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A prefetch policy for Java 17: some seconds of the next item, less of those after it.
 *
 * <p>It is the program's own family {@code head} (policy.prefetch.kind), event by event and command
 * by command. FirstFrame starts it (policy.prefetch.command: java HeadOfNext.java), sends one
 * message a line and waits for one line; docs/reference/policy-protocol.md says what stands in
 * them. What it says on standard error is shown when something goes wrong.
 */
public final class HeadOfNext {
    /** Times are whole nanoseconds. */
    private static final long SECOND = 1_000_000_000L;

    /** What {@code policy.prefetch} says of the family; the defaults are its defaults. */
    private static final class Settings {
        long headLength = 6 * SECOND;
        long furtherLength = 2 * SECOND;
        long previousLength = 2 * SECOND;
        double previousThreshold = 3;
        int concurrency = 2;
        long pauseBelowBuffer = 4 * SECOND;
        long itemsAhead = 3;
    }

    /** A stage of an item and, for media (4), how much of it. */
    private record Depth(int stage, long length) {
        static final List<String> STAGES =
                List.of("nothing", "connection", "playlists", "init", "media");

        static Depth media(long length) {
            return length > 0 ? new Depth(4, length) : new Depth(0, 0);
        }

        boolean isAtLeast(Depth other) {
            return stage != other.stage ? stage > other.stage : length >= other.length;
        }
    }

    /** One thing that is wanted, and the item of which nothing may be wanted any more; -1: none. */
    private record Wish(long item, Depth depth, int priority, long first) {}

    private enum State { IDLE, FETCHING, FAILED }

    /** What is known of one item. */
    private static final class Item {
        final long number;
        Depth held = new Depth(0, 0);
        State state = State.IDLE;
        Depth wanted = new Depth(0, 0);

        Item(long number) {
            this.number = number;
        }
    }

    private static final int NEXT = 0;
    private static final int FURTHER = 1;
    private static final int PREVIOUS = 3;

    private final Settings settings;
    private final List<Item> items = new ArrayList<>();
    private final int mostItems;
    private long current = -1;
    private long last = 0;
    private long ahead = 0;
    private boolean isComplete = false;
    private long throughput = 0;
    private long bitrate = 0;
    private boolean isOnline = true;
    private boolean isHeld = false;
    private List<Wish> plan = List.of();
    private boolean isPlanned = false;
    private int active = 0;
    /** Whether nothing begins because of the buffer until something else has happened. */
    private boolean isSettled = false;

    private HeadOfNext(Settings settings) {
        this.settings = settings;
        mostItems = (int) (2 * (settings.itemsAhead + 2) + 8);
    }

    /** The commands for one event, as JSON. */
    private String handle(Map<String, Object> event) {
        List<String> commands = new ArrayList<>();
        String kind = (String) event.get("event");
        boolean isQuiet =
                kind.equals("extended") || kind.equals("buffer") || kind.equals("throughput");
        if (!isQuiet) {
            isSettled = false;
        }
        switch (kind) {
            case "moved" -> {
                last = Math.max(last, Math.max(number(event, "last"), number(event, "current")));
                move(number(event, "current"), commands);
            }
            case "extended" -> {
                isPlanned = isPlanned && number(event, "last") <= last;
                last = Math.max(last, number(event, "last"));
            }
            case "buffer" -> {
                ahead = Math.max(0, Math.min(number(event, "ahead"), 86_400 * SECOND));
                isComplete = flag(event, "isComplete");
            }
            case "throughput" -> {
                isPlanned = isPlanned && throughput == number(event, "throughput")
                        && bitrate == number(event, "bitrate");
                throughput = number(event, "throughput");
                bitrate = number(event, "bitrate");
            }
            case "reached" -> hold(number(event, "item"), Depth.media(number(event, "length")));
            case "stage" -> hold(number(event, "item"),
                    new Depth(Depth.STAGES.indexOf((String) event.get("stage")), 0));
            case "failed" -> fail(number(event, "item"));
            case "withdrawn" -> withdraw(number(event, "item"), commands);
            case "online" -> {
                isOnline = flag(event, "isOnline");
                if (!isOnline) {
                    suspendAll(commands);
                }
            }
            case "held" -> isHeld = flag(event, "isHeld");
            default -> {
                return "[]"; // It asked for no other.
            }
        }
        makePlan();
        startWaiting(commands);
        return "[" + String.join(",", commands) + "]";
    }

    // Events

    private void move(long item, List<String> commands) {
        if (item != current) {
            ahead = 0;
            isComplete = false;
        }
        current = item;
        isPlanned = false;
        makePlan();
        for (Item known : items) {
            if (known.state == State.FAILED) {
                known.state = State.IDLE;
            } else if (known.state == State.FETCHING) {
                boolean isWanted = plan.stream().anyMatch(wish -> wish.item() == known.number);
                if (known.number != item && isWanted) {
                    continue;
                }
                known.state = State.IDLE;
                active -= 1;
                if (known.number != item) {
                    commands.add(command("cancel", known.number));
                }
            }
        }
    }

    private void hold(long item, Depth depth) {
        Item known = findOrAdd(item);
        if (known == null) {
            return;
        }
        if (depth.isAtLeast(known.held)) {
            known.held = depth;
        }
        if (known.state == State.FETCHING && depth.isAtLeast(known.wanted)) {
            known.state = State.IDLE;
            active -= 1;
        }
    }

    private void fail(long item) {
        Item known = find(item);
        if (known != null && known.state == State.FETCHING) {
            known.state = State.FAILED;
            active -= 1;
        }
    }

    private void withdraw(long item, List<String> commands) {
        if (item == current) {
            return;
        }
        Item known = findOrAdd(item);
        if (known == null || known.state == State.FAILED) {
            return;
        }
        if (known.state == State.FETCHING) {
            active -= 1;
            commands.add(command("cancel", item));
        }
        known.state = State.FAILED;
    }

    private void suspendAll(List<String> commands) {
        for (Item known : items) {
            if (known.state == State.FETCHING) {
                known.state = State.IDLE;
                active -= 1;
                commands.add(command("suspend", known.number));
            }
        }
    }

    // What is wanted

    private void makePlan() {
        if (isPlanned) {
            return;
        }
        List<Wish> wishes = wishes();
        isPlanned = true;
        if (!wishes.equals(plan)) {
            plan = wishes;
            isSettled = false;
        }
    }

    private List<Wish> wishes() {
        List<Wish> wishes = new ArrayList<>();
        if (current < 0 || settings.headLength <= 0) {
            return wishes;
        }
        long reach = Math.min(settings.itemsAhead, last - current);
        for (long offset = 1; offset <= reach; offset += 1) {
            long length = offset == 1 ? settings.headLength : settings.furtherLength;
            if (length > 0) {
                wishes.add(new Wish(
                        current + offset, Depth.media(length), offset == 1 ? NEXT : FURTHER, -1));
            }
        }
        boolean isAffordable =
                bitrate > 0 && (double) throughput >= (double) bitrate * settings.previousThreshold;
        if (current > 0 && isAffordable && settings.previousLength > 0) {
            wishes.add(new Wish(current - 1, Depth.media(settings.previousLength), PREVIOUS,
                    reach >= 1 ? current + 1 : -1));
        }
        return wishes;
    }

    // Starts

    private void startWaiting(List<String> commands) {
        boolean isOpen = isComplete || ahead >= settings.pauseBelowBuffer;
        if (!isOnline || isHeld || !isOpen || isSettled) {
            return;
        }
        isSettled = true;
        for (Wish wish : plan) {
            if (wish.first() >= 0 && isWarming(wish.first())) {
                continue;
            }
            Item known = find(wish.item());
            boolean isRunning = known != null && known.state == State.FETCHING;
            if (known != null) {
                if (known.held.isAtLeast(wish.depth()) || known.state == State.FAILED) {
                    continue;
                }
                if (isRunning && known.wanted.isAtLeast(wish.depth())) {
                    continue;
                }
            }
            if (!isRunning && active >= settings.concurrency) {
                return;
            }
            known = findOrAdd(wish.item());
            if (known == null) {
                return;
            }
            if (!isRunning) {
                active += 1;
            }
            known.state = State.FETCHING;
            known.wanted = wish.depth();
            commands.add("{\"do\":\"start\",\"item\":" + wish.item() + ",\"length\":"
                    + wish.depth().length() + ",\"priority\":" + wish.priority() + "}");
        }
    }

    /** Whether a fetch of the item is in progress or still to come. */
    private boolean isWarming(long item) {
        for (Wish wish : plan) {
            if (wish.item() != item) {
                continue;
            }
            Item known = find(item);
            if (known == null
                    || known.state != State.FAILED && !known.held.isAtLeast(wish.depth())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Kinds of events after which nothing begins until something else has happened, as JSON. A full
     * buffer opens the way, and a fast link makes the item before affordable. Whoever has begun all
     * that he may begins nothing more of the one; where the way is closed, or the item before is
     * there, the other changes nothing.
     */
    private String deafTo() {
        if (!isSettled) {
            return "[\"throughput\"]";
        }
        return missesPrevious() ? "[\"buffer\"]" : "[\"buffer\",\"throughput\"]";
    }

    /** Whether the item before would be fetched if the link were fast enough. */
    private boolean missesPrevious() {
        if (current <= 0 || settings.previousLength <= 0) {
            return false;
        }
        Depth depth = Depth.media(settings.previousLength);
        Item known = find(current - 1);
        if (known == null) {
            return true;
        }
        if (known.held.isAtLeast(depth) || known.state == State.FAILED) {
            return false;
        }
        return known.state != State.FETCHING || !known.wanted.isAtLeast(depth);
    }

    // What is known of items

    private Item find(long item) {
        for (Item known : items) {
            if (known.number == item) {
                return known;
            }
        }
        return null;
    }

    /** A new item takes the place of the idle one that is farthest when there are too many. */
    private Item findOrAdd(long item) {
        Item found = find(item);
        if (found != null) {
            return found;
        }
        Item made = new Item(item);
        if (items.size() < mostItems) {
            items.add(made);
            return made;
        }
        long centre = Math.max(current, 0);
        int farthest = -1;
        long distance = Math.abs(item - centre);
        for (int place = 0; place < items.size(); place += 1) {
            Item other = items.get(place);
            if (other.state != State.FETCHING && Math.abs(other.number - centre) > distance) {
                farthest = place;
                distance = Math.abs(other.number - centre);
            }
        }
        if (farthest < 0) {
            return null;
        }
        items.set(farthest, made);
        return made;
    }

    // Messages

    private static String command(String word, long item) {
        return "{\"do\":\"" + word + "\",\"item\":" + item + "}";
    }

    private static long number(Map<String, Object> object, String key) {
        return (Long) object.get(key);
    }

    private static boolean flag(Map<String, Object> object, String key) {
        return (Boolean) object.get(key);
    }

    /** Reads JSON without fractions, which is all that is sent. */
    private static final class Json {
        private final String text;
        private int place = 0;

        Json(String text) {
            this.text = text;
        }

        Object value() {
            char first = text.charAt(place);
            if (first == '{') {
                return object();
            }
            if (first == '[') {
                return list();
            }
            if (first == '"') {
                return string();
            }
            int begin = place;
            while (place < text.length() && ",]}".indexOf(text.charAt(place)) < 0) {
                place += 1;
            }
            String word = text.substring(begin, place);
            return switch (word) {
                case "true" -> Boolean.TRUE;
                case "false" -> Boolean.FALSE;
                case "null" -> null;
                default -> Long.valueOf(word);
            };
        }

        private Map<String, Object> object() {
            Map<String, Object> members = new LinkedHashMap<>();
            place += 1;
            while (text.charAt(place) != '}') {
                String key = string();
                place += 1; // The colon.
                members.put(key, value());
                if (text.charAt(place) == ',') {
                    place += 1;
                }
            }
            place += 1;
            return members;
        }

        private List<Object> list() {
            List<Object> values = new ArrayList<>();
            place += 1;
            while (text.charAt(place) != ']') {
                values.add(value());
                if (text.charAt(place) == ',') {
                    place += 1;
                }
            }
            place += 1;
            return values;
        }

        /** No text that is sent has escapes. */
        private String string() {
            int end = text.indexOf('"', place + 1);
            String found = text.substring(place + 1, end);
            place = end + 1;
            return found;
        }
    }

    /** What one viewer's policy was told and did, for {@code firstframe replay policy}. */
    private static final class PolicyLog {
        private final Writer out;

        private PolicyLog(Writer out, Settings settings) throws IOException {
            this.out = out;
            line(List.of("firstframe-policy-log", 1));
            line(List.of("machine", "prefetch-policy"));
            List<Object> words = new ArrayList<>(List.of("configuration", settings.headLength,
                    settings.itemsAhead, settings.furtherLength, settings.previousLength,
                    settings.previousThreshold, settings.concurrency, settings.pauseBelowBuffer));
            // The family head, and values for what it does not read.
            words.addAll(
                    List.of(0, 2 * SECOND, -1.0, 0.5, 4.0, -1.0, false, 1, SECOND, 1, 1.0));
            line(words);
        }

        /** Nothing where another process of the policy has begun the file. */
        static PolicyLog open(String path, Settings settings) throws IOException {
            if (path == null || Files.exists(Path.of(path))) {
                return null;
            }
            return new PolicyLog(
                    Files.newBufferedWriter(Path.of(path), StandardOpenOption.CREATE_NEW), settings);
        }

        @SuppressWarnings("unchecked")
        void add(Map<String, Object> event, String commands) throws IOException {
            line("event", event);
            for (Object command : (List<Object>) new Json(commands).value()) {
                line("command", (Map<String, Object>) command);
            }
        }

        private void line(String word, Map<String, Object> fields) throws IOException {
            List<Object> words = new ArrayList<>(List.of(word));
            words.addAll(fields.values());
            line(words);
        }

        private void line(List<Object> words) throws IOException {
            List<String> texts = new ArrayList<>();
            for (Object word : words) {
                if (word instanceof Double number) {
                    texts.add(Long.toUnsignedString(Double.doubleToRawLongBits(number)));
                } else if (word instanceof Boolean flag) {
                    texts.add(flag ? "1" : "0");
                } else {
                    int stage = Depth.STAGES.indexOf(word.toString());
                    texts.add(stage >= 0 ? Integer.toString(stage) : word.toString());
                }
            }
            out.write(String.join(" ", texts) + "\n");
            out.flush();
        }
    }

    /** The next message: its length in bytes, a blank, JSON and a line feed; null at the end. */
    private static String message(InputStream input) throws IOException {
        int length = 0;
        int next = input.read();
        if (next < 0) {
            return null;
        }
        while (next != ' ') {
            length = length * 10 + next - '0';
            next = input.read();
        }
        byte[] body = input.readNBytes(length);
        input.read();
        return new String(body, StandardCharsets.UTF_8);
    }

    private static void answer(OutputStream output, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        // One write a message.
        output.write((bytes.length + " " + body + "\n").getBytes(StandardCharsets.UTF_8));
        output.flush();
    }

    /** This file, where it was started as one: as it stands in the command. */
    private static Path source() {
        for (String word : ProcessHandle.current().info().arguments().orElse(new String[0])) {
            if (word.endsWith("HeadOfNext.java")) return Path.of(word);
        }
        return Path.of("HeadOfNext.java");
    }

    private static String digest(Path file) throws Exception {
        byte[] code = Files.readAllBytes(file);
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(code));
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws Exception {
        Settings settings = new Settings();
        String path = null;
        PolicyLog log = null;
        for (int place = 0; place + 1 < arguments.length; place += 1) {
            if (arguments[place].equals("--head-length")) {
                settings.headLength = Math.round(Double.parseDouble(arguments[place + 1]) * SECOND);
            } else if (arguments[place].equals("--log")) {
                path = arguments[place + 1];
            }
        }
        InputStream input = new BufferedInputStream(System.in, 1 << 16);
        OutputStream output = new java.io.FileOutputStream(java.io.FileDescriptor.out);
        Map<Long, HeadOfNext> viewers = new HashMap<>();
        for (String text = message(input); text != null; text = message(input)) {
            Map<String, Object> message = (Map<String, Object>) new Json(text).value();
            if (message.containsKey("hello")) {
                settings.itemsAhead = number(message, "itemsAhead");
                log = PolicyLog.open(path, settings);
                answer(output, "{\"name\":\"head-of-next-java\",\"version\":\"1.0\",\"digest\":\""
                        + digest(source()) + "\"}");
                continue;
            }
            long viewer = number(message, "viewer");
            HeadOfNext policy = viewers.computeIfAbsent(viewer, key -> new HeadOfNext(settings));
            if (message.containsKey("close")) {
                viewers.remove(viewer);
                continue;
            }
            List<String> commands = new ArrayList<>();
            for (Object event : (List<Object>) message.get("told")) {
                commands.add(policy.handle((Map<String, Object>) event));
                if (log != null && viewer == 0) {
                    log.add((Map<String, Object>) event, commands.get(commands.size() - 1));
                }
            }
            answer(output, "{\"viewer\":" + viewer + ",\"sequence\":" + number(message, "sequence")
                    + ",\"commands\":[" + String.join(",", commands) + "]"
                    + ",\"hold\":" + policy.deafTo() + "}");
        }
    }
}
