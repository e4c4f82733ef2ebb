/// Cuts a line of the common log and of what goes on like it: `host ident user [date] "request"
/// status bytes "referrer" "agent" …`.
///
/// What stands in front of the date may be more, as a virtual host is, or less; what follows the
/// agent is `x1`, `x2`, …
enum CommonLogFields {
  static let names =
    ["host", "date", "request", "status", "bytes", "referer", "agent"]
    + (1...24).map { "x\($0)" }

  /// - Returns: whether the line has the form.
  static func split(_ line: TextSpan, _ offset: Int, into fields: inout [RecordField]) -> Bool {
    fields.removeAll(keepingCapacity: true)
    var index = 0
    var host = RecordField.absent
    var hasDate = false
    while index < line.count && fields.count < names.count {
      if line.base[index] == 0x20 {
        index += 1
        continue
      }
      let part = next(line, &index)
      if !hasDate {
        if part.isQuoted && line[part.start - 1] == 0x5B {
          hasDate = true
          fields.append(host)
          fields.append(moved(part, offset))
        } else if host.count == 0 {
          host = moved(part, offset)
        }
        continue
      }
      fields.append(moved(part, offset))
    }
    // The request is in quotation marks, the status three digits.
    let isOne =
      fields.count >= 5 && fields[2].isQuoted
      && fields[3].count == 3 && line[fields[3].start - offset] &- 0x31 < 9
    if !isOne { return false }
    while fields.count < names.count { fields.append(.absent) }
    return true
  }

  private static func moved(_ field: RecordField, _ offset: Int) -> RecordField {
    var field = field
    field.start += offset
    return field
  }

  /// The next part: in brackets, in quotation marks, or up to a blank.
  private static func next(_ line: TextSpan, _ index: inout Int) -> RecordField {
    let first = line.base[index]
    let close: UInt8? = first == 0x5B ? 0x5D : first == 0x22 ? 0x22 : nil
    let start = close == nil ? index : index + 1
    var end = start
    let last = close ?? 0x20
    var escape = RecordField.Escape.none
    while end < line.count && line.base[end] != last {
      if line.base[end] == 0x5C && close == 0x22 {
        escape = .log
        end += 1
      }
      end += 1
    }
    end = min(end, line.count)
    index = close == nil ? end : min(end + 1, line.count)
    return RecordField(start: start, count: end - start, escape: escape, isQuoted: close != nil)
  }
}
