/// A plan's shards as a job of an engine that runs an array of commands.
public struct JobFile: Sendable {
  /// The engines that one is written for.
  public enum Engine: String, Sendable, CaseIterable {
    case slurm, kubernetes, snakemake, parallel
  }

  /// Tasks of one array at most: Slurm refuses an array's number of 1001 where nobody has changed
  /// MaxArraySize (slurm.conf).
  static let mostTasks = 1000
  /// A task may take so many times what was measured before the engine ends it.
  static let patience = 4.0
  /// Seconds that any task may take.
  static let leastSeconds = 600.0

  /// The study's name, for people.
  private let name: String
  private let folder: String
  private let shards: Range<Int>
  /// Shards of one task.
  private let together: Int
  private let megabytes: Int64
  private let seconds: Double?

  /// - Parameters:
  ///   - folder: the plan's.
  ///   - shards: their indices, one after the other.
  ///   - memory: bytes that the largest of them needs.
  ///   - seconds: of the longest; nil: not measured.
  public init(
    name: String, folder: String, shards: Range<Int>, memory: Int64, seconds: Double?
  ) {
    self.name = JobFile.plain(name)
    self.folder = folder
    self.shards = shards
    together = max(1, (shards.count + JobFile.mostTasks - 1) / JobFile.mostTasks)
    // A quarter more than the estimate, which engines enforce.
    megabytes = memory / 1_048_576 * 5 / 4 + 64
    self.seconds = seconds
  }

  /// Letters, digits and hyphens, as names of jobs may have; 40 at most.
  private static func plain(_ name: String) -> String {
    let letters = name.lowercased().map { letter in
      letter.isASCII && (letter.isLetter || letter.isNumber) ? letter : "-"
    }
    let text = String(letters).split(separator: "-").joined(separator: "-")
    return text.isEmpty ? "study" : String(text.prefix(40))
  }

  private var tasks: Int { (shards.count + together - 1) / together }

  private var limit: Int {
    let all = (seconds ?? 0) * Double(together) * JobFile.patience
    return Int(max(JobFile.leastSeconds, all).rounded(.up))
  }

  private var quotedFolder: String { ShellText.command([folder]) }

  /// The job's file.
  ///
  /// - Parameter image: of Kubernetes, with the program in it.
  public func text(_ engine: Engine, image: String) -> String {
    switch engine {
    case .slurm: slurm
    case .kubernetes: kubernetes(image: image)
    case .snakemake: snakemake
    case .parallel: parallel
    }
  }

  private var slurm: String {
    let minutes = (limit + 59) / 60
    return """
      #!/bin/bash
      # Shards \(shards.lowerBound) to \(shards.upperBound - 1) of a plan, \(together) to a task; \
      afterwards: firstframe merge \(quotedFolder)
      #SBATCH --job-name=firstframe-\(name)
      #SBATCH --array=0-\(tasks - 1)
      #SBATCH --ntasks=1
      #SBATCH --cpus-per-task=1
      #SBATCH --mem=\(megabytes)M
      #SBATCH --time=\(minutes)
      #SBATCH --requeue
      #SBATCH --output=/dev/null
      set -eu
      first=$((\(shards.lowerBound) + SLURM_ARRAY_TASK_ID * \(together)))
      last=$((first + \(together - 1)))
      [ "$last" -le \(shards.upperBound - 1) ] || last=\(shards.upperBound - 1)
      exec "${FIRSTFRAME:-firstframe}" shard \(quotedFolder) --index "$first-$last" --threads 1

      """
  }

  private var parallel: String {
    """
    # Shards of a plan on this machine, or on those of -S; a job log lets the same line go on.
    seq \(shards.lowerBound) \(shards.upperBound - 1) | parallel --retries 2 \
    --joblog \(ShellText.command(["\(folder)/parallel.log"])) --resume-failed \
    "${FIRSTFRAME:-firstframe}" shard \(quotedFolder) --index {} --threads 1

    """
  }

  private var snakemake: String {
    """
    # Shards of a plan as rules: snakemake -s FILE --cores 8, or on a cluster by a profile.
    import os

    PROGRAM = os.environ.get("FIRSTFRAME", "firstframe")
    PLAN = \(JobFile.python(folder))
    SHARDS = range(\(shards.lowerBound), \(shards.upperBound))


    rule all:
        input:
            expand(PLAN + "/done/{index}", index=SHARDS),


    rule shard:
        output:
            touch(PLAN + "/done/{index}"),
        params:
            program=PROGRAM,
            plan=PLAN,
        threads: 1
        retries: 2
        resources:
            mem_mb=\(megabytes),
            runtime=\((limit + 59) / 60),
        shell:
            "{params.program:q} shard {params.plan:q} --index {wildcards.index} --threads 1"

    """
  }

  /// A string of Python, and of YAML in double quotes.
  private static func python(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\\\"
      case "\"": "\\\""
      case "\n": "\\n"
      default: String(scalar)
      }
    }
    return "\"" + escaped.joined() + "\""
  }

  private func kubernetes(image: String) -> String {
    """
    # An Indexed Job: shards \(shards.lowerBound) to \(shards.upperBound - 1) of a plan that lies in \
    the claim firstframe-plan.
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: firstframe-\(name)
      labels:
        app.kubernetes.io/name: firstframe
    spec:
      completionMode: Indexed
      completions: \(shards.count)
      parallelism: \(min(shards.count, 64))
      backoffLimitPerIndex: 2
      template:
        metadata:
          labels:
            app.kubernetes.io/name: firstframe
        spec:
          restartPolicy: Never
          containers:
            - name: shard
              image: \(JobFile.python(image))
              workingDir: /work
              command:
                - firstframe
                - shard
                - \(JobFile.python(folder))
                - --index
                - $(JOB_COMPLETION_INDEX)
                - --offset
                - "\(shards.lowerBound)"
                - --threads
                - "1"
              resources:
                requests:
                  cpu: "1"
                  memory: \(megabytes)Mi
                limits:
                  memory: \(megabytes)Mi
              volumeMounts:
                - name: work
                  mountPath: /work
          volumes:
            - name: work
              persistentVolumeClaim:
                claimName: firstframe-plan

    """
  }
}
