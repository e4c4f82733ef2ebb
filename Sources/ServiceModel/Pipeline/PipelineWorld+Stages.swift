import MediaUnits
import ModelBasics
import SimulationKernel
import UploadPolicy

/// Executions, stages, jobs, the writes of Publish and who reads them.
extension PipelineWorld {
  mutating func execute(_ upload: UInt32, _ context: inout Context<PipelineEvent>) {
    let number = UInt32(executions.count)
    executions.append(
      Execution(
        upload: upload, machine: PipelineMachine(configuration.machine), beganAt: context.now))
    uploads[Int(upload)].executions += 1
    if uploads[Int(upload)].isMeasured { measures.executions += 1 }
    tellPipeline(number, .started, &context)
  }

  private func isMeasured(_ execution: UInt32) -> Bool {
    uploads[Int(executions[Int(execution)].upload)].isMeasured
  }

  mutating func tellPipeline(
    _ number: UInt32, _ event: PipelineMachine.Event, _ context: inout Context<PipelineEvent>
  ) {
    var commands: [PipelineMachine.Command] = []
    executions[Int(number)].machine.handle(event, at: context.now, into: &commands)
    for command in commands {
      switch command {
      case .start(let stage, let attempt):
        if stage != .publish { submit(number, stage, attempt, &context) }
      case .write(let write): make(number, write, &context)
      case .setTimer(let timer, let at, let jitter): setTimer(number, timer, at, jitter, &context)
      case .published: notePublished(number, &context)
      case .reject(let code): noteRejected(number, code)
      case .fail: if isMeasured(number) { measures.failures += 1 }
      }
    }
  }

  private mutating func setTimer(
    _ number: UInt32, _ timer: PipelineMachine.TimerID, _ at: Instant, _ jitter: TimeSpan,
    _ context: inout Context<PipelineEvent>
  ) {
    switch timer {
    case .timeout(let stage, let attempt):
      context.schedule(
        .stageTimer(
          execution: number, stage: stage.rawValue, attempt: attempt, isRetry: false), at: at,
        for: PipelineWorld.backend)
    case .retry(let stage, let attempt):
      let entity = UInt64(number) << 16 | UInt64(stage.rawValue) << 8 | UInt64(attempt)
      let u = streams.uniform(.pipelineJob, entity: entity, draw: 5)
      context.schedule(
        .stageTimer(execution: number, stage: stage.rawValue, attempt: attempt, isRetry: true),
        at: at + jitter.scaled(by: u), for: PipelineWorld.backend)
    }
  }

  private mutating func noteRejected(_ number: UInt32, _ code: RejectionCode) {
    if !isMeasured(number) { return }
    measures.rejections[Int(code.rawValue)] += 1
    let execution = executions[Int(number)]
    let isEarly = code == .codecUnsupported || code == .tooLong || code == .tooLarge
    if isEarly && execution.machine.attempts(of: .transcode) > 0 { measures.lateRejections += 1 }
    if execution.machine.isWasted {
      measures.wastedSeconds += uploads[Int(execution.upload)].facts.duration.seconds
    }
  }

  private mutating func notePublished(
    _ number: UInt32, _ context: inout Context<PipelineEvent>
  ) {
    let execution = executions[Int(number)]
    if isMeasured(number) {
      measures.published += 1
      if execution.storyboards != 1 { measures.orderFaults += 1 }
    }
    let upload = uploads[Int(execution.upload)]
    if configuration.deletesOld && upload.key.version > 1 {
      for other in 0..<executions.count
      where uploads[Int(executions[other].upload)].key.video == upload.key.video
        && uploads[Int(executions[other].upload)].key.version < upload.key.version
      {
        executions[other].isDeleted = true
      }
    }
    let u = streams.uniform(.pipelineRead, entity: UInt64(number), draw: 0)
    if upload.key.version == 1 && upload.isMeasured && u < configuration.uploader.republishShare {
      context.schedule(
        .republish(execution.upload),
        at: context.now + configuration.uploader.republishAfter, for: PipelineWorld.backend)
    }
  }

  // MARK: Jobs

  private func entity(_ job: PipelineJob) -> UInt64 {
    UInt64(job.execution) << 16 | UInt64(job.stage.rawValue) << 8 | UInt64(job.attempt)
  }

  /// Asks a stage's service for a job. One that knows the token has the job already.
  private mutating func submit(
    _ number: UInt32, _ stage: PipelineMachine.Stage, _ attempt: UInt8,
    _ context: inout Context<PipelineEvent>
  ) {
    let job = PipelineJob(execution: number, stage: stage, attempt: attempt)
    let u = streams.uniform(.pipelineJob, entity: entity(job), draw: 0)
    let step = TimeSpan(seconds: configuration.transition.quantile(u))
    if isMeasured(number) { measures.cost[4] += configuration.transitionPrice }
    if streams.uniform(.pipelineJob, entity: entity(job), draw: 1) < configuration.submitLoss {
      context.schedule(
        .submitLost(execution: number, stage: stage.rawValue, attempt: attempt),
        at: context.now + step + configuration.submitTimeout, for: PipelineWorld.backend)
    }
    if configuration.hasTokens, let known = executions[Int(number)].jobs[Int(stage.rawValue)] {
      // A job that is done answers again.
      if jobs[Int(known)].isOver {
        context.schedule(
          .jobDone(job: known), at: context.now + step, for: PipelineWorld.backend)
      }
      return
    }
    jobs.append(job)
    executions[Int(number)].jobs[Int(stage.rawValue)] = UInt32(jobs.count - 1)
    context.schedule(
      .stageBegins(job: UInt32(jobs.count - 1)), at: context.now + step,
      for: PipelineWorld.backend)
  }

  mutating func enter(_ job: UInt32, _ context: inout Context<PipelineEvent>) {
    jobs[Int(job)].arrivedAt = context.now
    let state = jobs[Int(job)]
    let settings = configuration.stages[Int(state.stage.rawValue)]
    let duration = uploads[Int(executions[Int(state.execution)].upload)].facts.duration.seconds
    let service =
      settings.fixed.quantile(streams.uniform(.pipelineJob, entity: entity(state), draw: 2))
      + duration
      * settings.perSecond.quantile(streams.uniform(.pipelineJob, entity: entity(state), draw: 3))
    let arrival = stations[Int(state.stage.rawValue)].arrive(
      job, service: TimeSpan(seconds: service), at: context.now)
    if case .started(let until) = arrival { begin(job, until, &context) }
  }

  private mutating func begin(
    _ job: UInt32, _ until: Instant, _ context: inout Context<PipelineEvent>
  ) {
    let state = jobs[Int(job)]
    let stage = Int(state.stage.rawValue)
    if isMeasured(state.execution) {
      let settings = configuration.stages[stage]
      let minutes =
        uploads[Int(executions[Int(state.execution)].upload)].facts.duration.seconds / 60
      measures.waits[stage].append((context.now - state.arrivedAt).nanoseconds)
      measures.cost[stage] += settings.price + settings.pricePerMinute * minutes
    }
    context.schedule(.jobDone(job: job), at: until, for: PipelineWorld.backend)
  }

  mutating func endJob(_ job: UInt32, _ context: inout Context<PipelineEvent>) {
    let state = jobs[Int(job)]
    let stage = Int(state.stage.rawValue)
    if !state.isOver {
      if let next = stations[stage].end(at: context.now) { begin(next.job, next.until, &context) }
      if isMeasured(state.execution) {
        measures.stageTimes[stage].append((context.now - state.arrivedAt).nanoseconds)
      }
      let u = streams.uniform(.pipelineJob, entity: entity(state), draw: 4)
      if u < configuration.stages[stage].failureShare {
        if executions[Int(state.execution)].jobs[stage] == job {
          executions[Int(state.execution)].jobs[stage] = nil
        }
        tellPipeline(state.execution, .failed(state.stage, attempt: state.attempt), &context)
        return
      }
      jobs[Int(job)].isOver = true
      count(state)
    }
    answer(state, &context)
  }

  /// Counts a job that did its work.
  private mutating func count(_ job: PipelineJob) {
    let upload = Int(executions[Int(job.execution)].upload)
    switch job.stage {
    case .transcode: uploads[upload].transcodes += 1
    case .storyboard: executions[Int(job.execution)].storyboards += 1
    case .inspect, .moderate, .publish: break
    }
  }

  private mutating func answer(_ job: PipelineJob, _ context: inout Context<PipelineEvent>) {
    let upload = uploads[Int(executions[Int(job.execution)].upload)]
    switch job.stage {
    case .inspect: tellPipeline(job.execution, .inspected(upload.facts), &context)
    case .moderate:
      let u = streams.uniform(.pipelineRead, entity: upload.key.video.rawValue | 1 << 40)
      tellPipeline(
        job.execution, .moderated(isFlagged: u < configuration.flagShare), &context)
    case .transcode, .storyboard, .publish:
      tellPipeline(job.execution, .done(job.stage), &context)
    }
  }

  // MARK: Publish

  private mutating func make(
    _ number: UInt32, _ write: PublishWrite, _ context: inout Context<PipelineEvent>
  ) {
    let u = streams.uniform(
      .pipelineWrite, entity: UInt64(number), draw: UInt32(write.rawValue))
    context.schedule(
      .written(execution: number, write: write.rawValue),
      at: context.now + TimeSpan(seconds: configuration.writeTime.quantile(u)),
      for: PipelineWorld.backend)
  }

  mutating func noteWrite(
    _ number: UInt32, _ write: PublishWrite, _ context: inout Context<PipelineEvent>
  ) {
    switch write {
    case .manifest: executions[Int(number)].isManifestThere = true
    case .warm: list(number, &context)
    case .row:
      let u = streams.uniform(.pipelineWrite, entity: UInt64(number), draw: 8)
      let lag = TimeSpan(seconds: configuration.indexLag.quantile(u))
      if isMeasured(number) { measures.indexLags.append(lag.nanoseconds) }
      context.schedule(
        .indexed(execution: number), at: context.now + lag, for: PipelineWorld.backend)
    }
    tellPipeline(number, .written(write), &context)
  }

  /// A feed can show the video, by its cache or by the index, whichever is first.
  mutating func list(_ number: UInt32, _ context: inout Context<PipelineEvent>) {
    let execution = executions[Int(number)]
    if execution.isListed { return }
    executions[Int(number)].isListed = true
    if isMeasured(number) {
      measures.listings += 1
      if !execution.isManifestThere { measures.earlyListings += 1 }
      measures.publishTimes.append(
        (context.now - uploads[Int(execution.upload)].storedAt).nanoseconds)
    }
    if configuration.reads > 0 && configuration.readRate > 0 { planRead(number, 0, &context) }
  }

  private mutating func planRead(
    _ number: UInt32, _ read: UInt32, _ context: inout Context<PipelineEvent>
  ) {
    let u = streams.uniform(.pipelineRead, entity: UInt64(number), draw: 2 + read)
    context.schedule(
      .read(execution: number, number: read),
      at: context.now + TimeSpan(seconds: -PortableMath.log(u) / configuration.readRate),
      for: PipelineWorld.backend)
  }

  mutating func read(
    _ number: UInt32, _ read: UInt32, _ context: inout Context<PipelineEvent>
  ) {
    if isMeasured(number) {
      measures.reads += 1
      if !executions[Int(number)].isManifestThere { measures.notFound += 1 }
    }
    context.schedule(
      .viewEnds(execution: number), at: context.now + configuration.viewLength,
      for: PipelineWorld.backend)
    if Int(read) + 1 < configuration.reads { planRead(number, read + 1, &context) }
  }
}
