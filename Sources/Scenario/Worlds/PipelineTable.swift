import Models
import UploadPolicy

/// The keys of the world `pipeline`.
enum PipelineTable {
  private static let longest: Int64 = 8_640_000_000_000_000
  private static let day: Int64 = 86_400_000_000_000
  private static let sheet = "parameters.md section "

  static let section = ObjectShape([
    Field("uploads", .object(uploads), default: "{}", "Who uploads what, and over which link"),
    Field("client", .object(client), default: "{}", "The shipped upload's settings"),
    Field("bus", .object(bus), default: "{}", "From the store to the pipeline"),
    Field("rules", .object(rules), default: "{}", "What is rejected"),
    Field("stages", .object(stages), default: "{}", "The services of the stages"),
    Field("orchestration", .object(orchestration), default: "{}", "How stages follow each other"),
    Field("publish", .object(publish), default: "{}", "The last writes, and who reads them"),
  ])

  static let uploads = ObjectShape([
    Field("warmUp", .time(0...day), default: "5 min", "Simulated before the measuring begins"),
    Field("window", .time(1_000_000_000...day), default: "20 min", "Measured time"),
    Field(
      "perSecond", .real(RealRange(0.000_01, 10_000)), default: "0.5", "Uploads in a second"),
    Field(
      "duration", .law(.time),
      default: "{kind: lognormal, median: 20 s, sigma: 0.7, clip: {min: 3 s, max: 15 min}}",
      "Length of a video",
      source: "assumed: the log-normal of " + sheet + "6.1 for what phones record"),
    Field(
      "sourceRate", .law(.bitRate),
      default: "{kind: uniform, min: 4 Mbps, max: 8 Mbps}", "Bit rate of the exported file",
      source: sheet + "8"),
    Field(
      "uplink", .law(.bitRate),
      default: """
        {kind: lognormal, median: 8 Mbps, sigma: 0.8, clip: {min: 500 kbps, max: 200 Mbps}}
        """,
      "Rate of a client's uplink", source: "assumed: a third of the downlinks of section 1.7"),
    Field("farShare", .ratio, default: "0.2", "Uploads from far away", source: "SIG-056"),
    Field(
      "nearRoundTrip", .time(0...longest), default: "40 ms", "To the store",
      source: "assumed, of the order of " + sheet + "1.7"),
    Field(
      "farRoundTrip", .time(0...longest), default: "220 ms", "To the store from far away",
      source: "assumed"),
    Field(
      "loss", .ratio, default: "0.001",
      "Packets that are lost: bounds what one connection carries", source: "assumed"),
    Field(
      "accelerated", .boolean, default: "false",
      "Whether uploads enter the network near the client", source: "SIG-056"),
    Field(
      "outageShare", .ratio, default: "0.1",
      "Uploads whose network goes when half of the file is there", source: "SIG-013"),
    Field(
      "outage", .law(.time),
      default: "{kind: lognormal, median: 20 s, sigma: 0.8, clip: {min: 1 s, max: 10 min}}",
      "How long it is gone", source: sheet + "10"),
    Field("answerLoss", .ratio, default: "0.01", "Answers without media that are lost"),
    Field("unsupportedShare", .ratio, default: "0.01", "Files with other codecs"),
    Field(
      "republishShare", .ratio, default: "0.02", "Published videos that are published again",
      source: "SIG-069"),
    Field("republishAfter", .time(0...day), default: "1 min", "When they are"),
  ])

  static let client = ObjectShape([
    Field(
      "partSize", .bytes(1_000...5_000_000_000), default: "5 MiB", "Bytes of a part",
      source: sheet + "8"),
    Field("parallelism", .integer(1...64), default: "4", "Parts at once", source: sheet + "8"),
    Field("patience", .integer(1...1000), default: "8", "Failures in a row that end an upload"),
    Field(
      "resumes", .boolean, default: "true", "Whether parts that are there are kept",
      source: "SIG-013"),
    Field(
      "idempotent", .boolean, default: "true",
      "Whether the service knows an upload by its video", source: "SIG-014"),
  ])

  static let bus = ObjectShape([
    Field(
      "delay", .law(.time), default: "{kind: lognormal, median: 0.8 s, sigma: 0.6}",
      "From the object to the pipeline", source: sheet + "12"),
    Field(
      "duplicateShare", .ratio, default: "0.001", "Events that come twice", source: sheet + "12"),
    Field(
      "duplicateDelay", .law(.time), default: "{kind: lognormal, median: 5 s, sigma: 1.0}",
      "How much later they do", source: "assumed"),
    Field(
      "namedExecutions", .boolean, default: "true",
      "Whether an execution is named after its upload", source: "SIG-016"),
  ])

  static let rules = ObjectShape([
    Field(
      "longest", .time(1_000_000_000...day), default: "180 s", "Longest video",
      source: "SIG-054: 60, 180 or 600 s"),
    Field(
      "largest", .bytes(1_000...1_000_000_000_000), default: "500 MB", "Largest file",
      source: "SIG-054"),
    Field("flagShare", .ratio, default: "0.02", "Videos that are flagged", source: sheet + "12"),
  ])

  static let stages = ObjectShape([
    Field(
      "inspect",
      .object(
        stage(200, "{kind: uniform, min: 0.3 s, max: 1.5 s}", "0 s", price: "0.00002", "0")),
      default: "{}", "Codec, length and size", source: "SIG-015"),
    Field(
      "moderate",
      .object(
        stage(
          20, "{kind: uniform, min: 10 s, max: 20 s}", "{kind: uniform, min: 0.5 s, max: 1.2 s}",
          price: "0", "0.1")),
      default: "{}", "Whether it may be shown", source: "SIG-015"),
    Field(
      "transcode",
      .object(
        stage(
          100, "{kind: uniform, min: 6 s, max: 12 s}",
          "{kind: lognormal, median: 0.45 s, sigma: 0.35}", price: "0", "0.045")),
      default: "{}", "The ladder", source: "SIG-017"),
    Field(
      "storyboard",
      .object(
        stage(200, "{kind: uniform, min: 3 s, max: 10 s}", "0 s", price: "0.0002", "0")),
      default: "{}", "Sprites and their index", source: "SIG-018"),
  ])

  private static func stage(
    _ servers: Int, _ fixed: String, _ perSecond: String, price: String, _ perMinute: String
  ) -> ObjectShape {
    ObjectShape([
      Field("servers", .integer(1...100_000), default: .text("\(servers)"), "Jobs at once"),
      Field("fixed", .law(.time), default: .text(fixed), "Time of a job", source: sheet + "12"),
      Field(
        "perSecond", .law(.time), default: .text(perSecond), "More for each second of the video",
        source: sheet + "12"),
      Field("failureShare", .ratio, default: "0.002", "Jobs that fail", source: "assumed"),
      Field(
        "price", .real(RealRange(0, 1000)), default: .text(price), "Dollars of a job",
        source: "assumed, of the order of list prices of 2025: to be checked"),
      Field(
        "pricePerMinute", .real(RealRange(0, 1000)), default: .text(perMinute),
        "Dollars of a minute of video",
        source: "assumed, of the order of list prices of 2025: to be checked"),
    ])
  }

  static let orchestration = ObjectShape([
    Field(
      "parallel", .boolean, default: "false", "Whether Transcode begins with Moderate",
      source: "SIG-055"),
    Field("retries", .integer(0...100), default: "2", "Starts of a stage after the first"),
    Field(
      "timeout", .time(1_000_000_000...day), default: "15 min",
      "A stage that has not ended is started again"),
    Field(
      "transition", .law(.time), default: "{kind: uniform, min: 25 ms, max: 60 ms}",
      "Between two stages", source: sheet + "12"),
    Field(
      "transitionPrice", .real(RealRange(0, 1)), default: "0.000025", "Dollars of a start",
      source: "assumed, of the order of list prices of 2025: to be checked"),
    Field(
      "submitLoss", .ratio, default: "0.002", "Starts whose answer is lost", source: "SIG-073"),
    Field(
      "submitTimeout", .time(1_000_000...longest), default: "10 s",
      "Then a start without an answer has failed"),
    Field(
      "tokens", .boolean, default: "true", "Whether services know a start by its token",
      source: "SIG-073"),
  ])

  static let orders = Choice<PublishOrder>([
    .init(
      "manifest-row-cache", "manifest, row, cache", value: PublishOrder(.manifest, .row, .warm)),
    .init(
      "manifest-cache-row", "manifest, cache, row", value: PublishOrder(.manifest, .warm, .row)),
    .init(
      "row-manifest-cache", "row, manifest, cache: a known fault",
      value: PublishOrder(.row, .manifest, .warm)),
    .init(
      "row-cache-manifest", "row, cache, manifest: a known fault",
      value: PublishOrder(.row, .warm, .manifest)),
    .init(
      "cache-manifest-row", "cache, manifest, row: a known fault",
      value: PublishOrder(.warm, .manifest, .row)),
    .init(
      "cache-row-manifest", "cache, row, manifest: a known fault",
      value: PublishOrder(.warm, .row, .manifest)),
    .init("all-at-once", "all at once: a known fault", value: .concurrent),
  ])

  static let publish = ObjectShape([
    Field(
      "order", .word(orders.words), default: "manifest-row-cache", "Order of the writes",
      source: "SIG-019, SIG-020"),
    Field(
      "write", .law(.time),
      default: "{kind: lognormal, median: 30 ms, sigma: 1.0, clip: {min: 1 ms, max: 10 s}}",
      "Time of a write", source: "assumed; " + sheet + "13 for the table alone"),
    Field(
      "indexLag", .law(.time),
      default: "{kind: lognormal, median: 30 ms, sigma: 1.0, clip: {min: 0 s, max: 2 s}}",
      "From the row until an index shows it", source: sheet + "13"),
    Field(
      "readRate", .real(RealRange(0, 100_000)), default: "5",
      "Views of a listed video in a second"),
    Field("reads", .integer(0...1000), default: "3", "Views that are looked at"),
    Field("viewLength", .time(0...day), default: "20 s", "How long a view lasts"),
    Field(
      "deletesOld", .boolean, default: "false",
      "Whether a version goes when the next is published: a known fault", source: "SIG-069"),
  ])
}
