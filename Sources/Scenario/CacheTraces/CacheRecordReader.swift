/// Reads the binary formats: records of one length, little-endian.
struct CacheRecordReader {
  let file: String
  let format: CacheTraceFormat
  /// Sizes by identity, for `u32le`.
  let sizes: ObjectSizeTable?

  /// Records whose size is 0; libCacheSim passes over them too.
  private var empty = 0

  init(file: String, format: CacheTraceFormat, sizes: ObjectSizeTable?) {
    self.file = file
    self.format = format
    self.sizes = sizes
  }

  /// Takes every record of the file.
  mutating func read(
    _ source: inout ByteSource, _ builder: inout CacheTraceBuilder,
    _ report: inout CacheTraceReport
  ) throws(InputFile.Failure) {
    guard let length = format.recordLength else { return }
    repeat {
      let whole = source.count / length
      let first = source.start
      for index in 0..<whole {
        let place = first + index * length
        guard let request = record(source.buffer, place, &builder.identities) else { continue }
        if let fault = builder.append(request) {
          report.add(
            .inconsistent, file: file, byte: source.offset + index * length,
            expected: fault.expectation(latest: builder.latest),
            got: request.time.map { "\(CacheTraceText.seconds($0)) s" } ?? "one more")
        }
      }
      source.skip(whole * length)
    } while try source.fill()
    if source.count > 0 {
      report.add(
        .wrongCount, file: file, byte: source.offset,
        expected: "a whole record of \(length) bytes",
        got: "\(source.count) byte\(source.count == 1 ? "" : "s") and the end of the file")
    }
    if empty > 0 {
      report.notes.append("\(file): \(empty) records of size 0 are left out, as libCacheSim does")
    }
  }

  @inline(__always)
  private mutating func record(
    _ bytes: [UInt8], _ place: Int, _ identities: inout IdentityTable
  ) -> CacheTraceBuilder.Request? {
    switch format {
    case .u32le:
      let id = UInt64(word(bytes, place))
      return CacheTraceBuilder.Request(
        object: identities.handle(of: id), size: sizes?.size(of: id) ?? 1)
    case .rec17:
      return CacheTraceBuilder.Request(
        object: identities.handle(of: UInt64(word(bytes, place + 4))),
        size: Int64(word(bytes, place + 8)), time: seconds(word(bytes, place)),
        lifetime: seconds(word(bytes, place + 12)), node: UInt16(bytes[place + 16]))
    case .oracleGeneral:
      let size = Int64(word(bytes, place + 12))
      if size == 0 {
        empty += 1
        return nil
      }
      let id = UInt64(word(bytes, place + 4)) | UInt64(word(bytes, place + 8)) << 32
      return CacheTraceBuilder.Request(
        object: identities.handle(of: id), size: size, time: seconds(word(bytes, place)))
    case .csv, .cloudfront, .common: return nil
    }
  }

  @inline(__always)
  private func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
      | UInt32(bytes[place + 3]) << 24
  }

  @inline(__always)
  private func seconds(_ count: UInt32) -> Int64 { Int64(count) * 1_000_000_000 }
}
