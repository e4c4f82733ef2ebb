import AudienceModel
import MediaUnits
import ModelBasics
import SimulationKernel
import UploadPolicy

/// Clients, their links, the service and the store.
extension PipelineWorld {
  func nextUpload(_ number: UInt32, after time: Double) -> Instant? {
    let u = streams.uniform(.uploadArrival, entity: UInt64(number))
    let next = configuration.uploader.uploads.time(after: time, work: -PortableMath.log(u))
    return next < end.seconds ? .zero + TimeSpan(seconds: next) : nil
  }

  mutating func beginUpload(_ context: inout Context<PipelineEvent>) {
    let key = UploadKey(VideoKey(UInt64(videoCount) + 1))
    videoCount += 1
    begin(key, facts: facts(of: key), &context)
  }

  /// The same video, made anew.
  mutating func beginAgain(_ upload: UInt32, _ context: inout Context<PipelineEvent>) {
    var key = uploads[Int(upload)].key
    key.version += 1
    begin(key, facts: uploads[Int(upload)].facts, &context)
  }

  private func draw(_ key: UploadKey, _ draw: UInt32) -> Double {
    streams.uniform(
      .uploadFacts, entity: key.video.rawValue << 8 | UInt64(key.version), draw: draw)
  }

  private func facts(of key: UploadKey) -> MediaFacts {
    let settings = configuration.uploader
    let duration = settings.duration.quantile(draw(key, 0))
    let bytes = duration * settings.sourceRate.quantile(draw(key, 1)) / 8
    return MediaFacts(
      duration: TimeSpan(seconds: duration), bytes: ByteCount(max(1, Int64(min(bytes, 4e10)))),
      isSupported: draw(key, 2) >= settings.unsupportedShare)
  }

  private mutating func begin(
    _ key: UploadKey, facts: MediaFacts, _ context: inout Context<PipelineEvent>
  ) {
    let settings = configuration.uploader
    let isFar = draw(key, 3) < settings.farShare
    let trip =
      isFar && !settings.isAccelerated ? settings.farRoundTrip : settings.nearRoundTrip
    // Mathis, Semke, Mahdavi and Ott, CCR 27(3), 1997: 1.22 segments of 1,448 bytes a round trip
    // over the root of the loss.
    let ceiling =
      settings.loss > 0
      ? 1.22 * 1_448 * 8 / (trip.seconds * settings.loss.squareRoot()) : .infinity
    let number = UInt32(uploads.count)
    var upload = Upload(
      key: key, facts: facts, isFar: isFar,
      isMeasured: context.now >= begin && context.now < end, beganAt: context.now,
      machine: UploadMachine(settings.client), uplink: settings.uplink.quantile(draw(key, 4)),
      ceiling: ceiling, roundTrip: trip)
    upload.progressAt = context.now
    upload.hadOutage = draw(key, 5) >= settings.outageShare
    uploads.append(upload)
    if upload.isMeasured { measures.uploads += 1 }
    tellUpload(number, .started(facts.bytes), &context)
  }

  mutating func tellUpload(
    _ number: UInt32, _ event: UploadMachine.Event, _ context: inout Context<PipelineEvent>
  ) {
    var commands: [UploadMachine.Command] = []
    uploads[Int(number)].machine.handle(event, at: context.now, into: &commands)
    var isShared = false
    for command in commands {
      switch command {
      case .send(let request, let kind):
        if case .part(_, _, let length) = kind {
          advance(number, at: context.now)
          uploads[Int(number)].parts.append(
            PartFlight(request: request, bitsLeft: Double(length.bytes) * 8))
          isShared = true
          planOutage(number, &context)
        } else {
          ask(number, request, kind, &context)
        }
      case .stop(let request):
        advance(number, at: context.now)
        uploads[Int(number)].parts.removeAll { $0.request == request }
        isShared = true
      case .setTimer(let timer, let at, let jitter): setTimer(number, timer, at, jitter, &context)
      case .save: break
      case .finish: finishUpload(number, at: context.now)
      case .giveUp:
        if uploads[Int(number)].isMeasured { measures.givenUp += 1 }
      }
    }
    if isShared { share(number, &context) }
  }

  private mutating func setTimer(
    _ number: UInt32, _ timer: UploadMachine.TimerID, _ at: Instant, _ jitter: TimeSpan,
    _ context: inout Context<PipelineEvent>
  ) {
    switch timer {
    case .answer(let request):
      context.schedule(
        .uploadTimer(upload: number, number: request, isRetry: false), at: at,
        for: clientEntity(number))
    case .retry(let wait):
      let u = streams.uniform(.uploadRequest, entity: UInt64(number), draw: 2 * wait + 1)
      context.schedule(
        .uploadTimer(upload: number, number: wait, isRetry: true),
        at: at + jitter.scaled(by: u), for: clientEntity(number))
    }
  }

  private mutating func finishUpload(_ number: UInt32, at now: Instant) {
    let upload = uploads[Int(number)]
    if !upload.isMeasured { return }
    measures.uploaded += 1
    measures.uploadTimes[upload.isFar ? 1 : 0].append((now - upload.beganAt).nanoseconds)
    let sent = upload.machine.sentBytes.bytes
    measures.fileBytes += upload.facts.bytes.bytes
    measures.sentBytes += sent
    let client = configuration.uploader.client
    let allowed = upload.outages * Int64(client.parallelism) * client.partSize.bytes
    if sent - upload.facts.bytes.bytes > allowed { measures.overSent += 1 }
  }

  /// The network goes when half of the file can be there, once.
  private mutating func planOutage(_ number: UInt32, _ context: inout Context<PipelineEvent>) {
    let upload = uploads[Int(number)]
    if upload.hadOutage { return }
    uploads[Int(number)].hadOutage = true
    uploads[Int(number)].outages += 1
    if upload.isMeasured { measures.outages += 1 }
    let rate = min(
      upload.uplink, upload.ceiling * Double(configuration.uploader.client.parallelism))
    let half = TimeSpan(seconds: Double(upload.facts.bytes.bytes) * 4 / rate)
    let length = TimeSpan(
      seconds: configuration.uploader.outage.quantile(draw(upload.key, 6)))
    context.schedule(
      .network(upload: number, isOnline: false), at: context.now + half,
      for: clientEntity(number))
    context.schedule(
      .network(upload: number, isOnline: true), at: context.now + half + length,
      for: clientEntity(number))
  }

  // MARK: The link

  /// What one part gets of the link.
  private func rate(_ upload: Upload) -> Double {
    min(upload.ceiling, upload.uplink / Double(max(1, upload.parts.count)))
  }

  /// Brings the parts up to now.
  mutating func advance(_ number: UInt32, at now: Instant) {
    let upload = uploads[Int(number)]
    let bits = rate(upload) * (now - upload.progressAt).seconds
    for index in 0..<upload.parts.count { uploads[Int(number)].parts[index].bitsLeft -= bits }
    uploads[Int(number)].progressAt = now
  }

  /// Plans the next end of a part.
  mutating func share(_ number: UInt32, _ context: inout Context<PipelineEvent>) {
    uploads[Int(number)].epoch += 1
    let upload = uploads[Int(number)]
    var least = Double.infinity
    for part in upload.parts where part.bitsLeft < least { least = part.bitsLeft }
    if least == .infinity { return }
    let time = max(0, least) / rate(upload)
    context.schedule(
      .linkFree(upload: number, epoch: upload.epoch),
      at: context.now + TimeSpan(seconds: time) + .nanoseconds(1), for: clientEntity(number))
  }

  mutating func freeLink(_ number: UInt32, _ context: inout Context<PipelineEvent>) {
    advance(number, at: context.now)
    // Less than a bit is the rounding of times.
    for part in uploads[Int(number)].parts where part.bitsLeft < 1 {
      context.schedule(
        .requestDone(upload: number, request: part.request),
        at: context.now + uploads[Int(number)].roundTrip, for: clientEntity(number))
    }
    uploads[Int(number)].parts.removeAll { $0.bitsLeft < 1 }
    share(number, &context)
  }

  // MARK: The service

  private mutating func ask(
    _ number: UInt32, _ request: UInt32, _ kind: UploadMachine.Request,
    _ context: inout Context<PipelineEvent>
  ) {
    let entity = UInt64(number) << 32 | UInt64(request)
    let u = streams.uniform(.uploadRequest, entity: entity | 1 << 63, draw: 0)
    let time = TimeSpan(seconds: configuration.serviceTime.quantile(u))
    var commands: [UploadService.Command] = []
    // The service decides when it is asked; only its answer takes time.
    switch kind {
    case .create:
      service.handle(
        .create(uploads[Int(number)].key, request: request), at: context.now, into: &commands)
    case .complete:
      service.handle(
        .complete(upload: uploads[Int(number)].number, request: request), at: context.now,
        into: &commands)
    case .authorise, .part: break
    }
    for command in commands {
      switch command {
      case .created(_, let upload):
        while registered.count <= Int(upload) { registered.append(number) }
        uploads[Int(number)].number = upload
      case .assemble: publishEvent(number, after: time, &context)
      case .completed, .refuse: break
      }
    }
    let isLost =
      streams.uniform(.uploadRequest, entity: entity | 1 << 63, draw: 1)
      < configuration.uploader.answerLoss
    if isLost { return }
    context.schedule(
      .requestDone(upload: number, request: request),
      at: context.now + time + uploads[Int(number)].roundTrip, for: clientEntity(number))
  }

  /// The store tells the bus, which tells the pipeline at least once.
  private mutating func publishEvent(
    _ number: UInt32, after time: TimeSpan, _ context: inout Context<PipelineEvent>
  ) {
    let (first, second) = streams.uniformPair(.uploadBus, entity: UInt64(number))
    uploads[Int(number)].storedAt = context.now + time
    let at =
      context.now + time + TimeSpan(seconds: configuration.busDelay.quantile(first))
    context.schedule(.stored(upload: number), at: at, for: PipelineWorld.backend)
    if second < configuration.duplicateShare {
      let u = streams.uniform(.uploadBus, entity: UInt64(number), draw: 2)
      context.schedule(
        .stored(upload: number),
        at: at + TimeSpan(seconds: configuration.duplicateDelay.quantile(u)),
        for: PipelineWorld.backend)
    }
  }

  mutating func deliver(_ number: UInt32, _ context: inout Context<PipelineEvent>) {
    measures.busEvents += 1
    var commands: [ExecutionLedger.Command] = []
    ledger.handle(.stored(uploads[Int(number)].key), at: context.now, into: &commands)
    for _ in commands { execute(number, &context) }
  }
}
