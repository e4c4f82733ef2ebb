internal import CYaml

/// A token of YAML text with its place, both ends in Unicode scalars from the beginning.
struct YAMLToken {
  /// What it is, as libyaml's scanner tells it.
  enum Kind: Equatable {
    case directive, documentStart, documentEnd
    case blockSequence, blockMapping, blockEnd, entry, key, value
    case flowSequence, flowSequenceEnd, flowMapping, flowMappingEnd, flowEntry
    case alias, anchor, tag
    /// Plain or in quotes.
    case scalar
    /// Behind `|` or `>`.
    case block
    case end
  }

  var kind: Kind
  /// Where it begins and ends, the end excluded.
  var range: Range<Int>
  /// Lines and column from 0; the last line is that of its last character.
  var line: Int
  var lastLine: Int
  var column: Int

  /// Whether it has characters of its own: a key mostly is known by its colon.
  var isWritten: Bool { !range.isEmpty }
}

extension YAMLToken {
  /// The tokens of a text that ``YAMLReader`` has read without a problem; nil where the scanner
  /// stops all the same.
  static func all(of text: [Unicode.Scalar]) -> [YAMLToken]? {
    var bytes = Array(String(String.UnicodeScalarView(text)).utf8)
    // The scanner reads the memory that it is given as long as it goes on.
    return bytes.withUnsafeMutableBufferPointer { buffer -> [YAMLToken]? in
      var parser = yaml_parser_t()
      guard yaml_parser_initialize(&parser) == 1 else { return nil }
      defer { yaml_parser_delete(&parser) }
      yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
      yaml_parser_set_input_string(&parser, buffer.baseAddress, buffer.count)
      var tokens: [YAMLToken] = []
      while true {
        var raw = yaml_token_t()
        guard yaml_parser_scan(&parser, &raw) == 1 else { return nil }
        defer { yaml_token_delete(&raw) }
        guard let kind = kind(raw) else { continue }
        tokens.append(token(kind, raw, in: text))
        if kind == .end { return tokens }
      }
    }
  }

  private static func token(
    _ kind: Kind, _ raw: yaml_token_t, in text: [Unicode.Scalar]
  ) -> YAMLToken {
    let (start, end) = (Int(raw.start_mark.index), Int(raw.end_mark.index))
    let isEmpty = kind == .end || end <= start
    // A block ends where the next line begins.
    let last = isEmpty ? raw.start_mark.line : raw.end_mark.line
    let endsAtLine = !isEmpty && end > 0 && end <= text.count && text[end - 1] == "\n"
    return YAMLToken(
      kind: kind, range: start..<(isEmpty ? start : end), line: Int(raw.start_mark.line),
      lastLine: Int(last) - (endsAtLine ? 1 : 0), column: Int(raw.start_mark.column))
  }

  private static func kind(_ raw: yaml_token_t) -> Kind? {
    switch raw.type {
    case YAML_VERSION_DIRECTIVE_TOKEN, YAML_TAG_DIRECTIVE_TOKEN: .directive
    case YAML_DOCUMENT_START_TOKEN: .documentStart
    case YAML_DOCUMENT_END_TOKEN: .documentEnd
    case YAML_BLOCK_SEQUENCE_START_TOKEN: .blockSequence
    case YAML_BLOCK_MAPPING_START_TOKEN: .blockMapping
    case YAML_BLOCK_END_TOKEN: .blockEnd
    case YAML_BLOCK_ENTRY_TOKEN: .entry
    case YAML_KEY_TOKEN: .key
    case YAML_VALUE_TOKEN: .value
    case YAML_FLOW_SEQUENCE_START_TOKEN: .flowSequence
    case YAML_FLOW_SEQUENCE_END_TOKEN: .flowSequenceEnd
    case YAML_FLOW_MAPPING_START_TOKEN: .flowMapping
    case YAML_FLOW_MAPPING_END_TOKEN: .flowMappingEnd
    case YAML_FLOW_ENTRY_TOKEN: .flowEntry
    case YAML_ALIAS_TOKEN: .alias
    case YAML_ANCHOR_TOKEN: .anchor
    case YAML_TAG_TOKEN: .tag
    case YAML_SCALAR_TOKEN:
      raw.data.scalar.style == YAML_LITERAL_SCALAR_STYLE
        || raw.data.scalar.style == YAML_FOLDED_SCALAR_STYLE ? .block : .scalar
    case YAML_STREAM_END_TOKEN: .end
    default: nil
    }
  }
}

/// A remark, from its `#` to the end of its line.
struct YAMLRemark: Equatable {
  var text: String
  /// From 0.
  var line: Int
  var column: Int
  /// Whether something stands before it on its line.
  var isTrailing: Bool
}

extension YAMLRemark {
  /// The remarks between the tokens of a text.
  static func all(in text: [Unicode.Scalar], between tokens: [YAMLToken]) -> [YAMLRemark] {
    var remarks: [YAMLRemark] = []
    var (place, line, column) = (0, 0, 0)
    var lastLine = -1
    func step() {
      if text[place] == "\n" { (line, column) = (line + 1, 0) } else { column += 1 }
      place += 1
    }
    for token in tokens where token.isWritten || token.kind == .end {
      let end = token.kind == .end ? text.count : token.range.lowerBound
      while place < end {
        if text[place] == "#" { remarks.append(read(text, place, line, column, lastLine)) }
        if text[place] == "#" { while place < end, text[place] != "\n" { step() } } else { step() }
      }
      if token.kind == .block { remarks += header(of: token, in: text) }
      while place < token.range.upperBound { step() }
      lastLine = token.lastLine
    }
    return remarks
  }

  private static func read(
    _ text: [Unicode.Scalar], _ start: Int, _ line: Int, _ column: Int, _ lastLine: Int
  ) -> YAMLRemark {
    var scalars = Array(text[start...].prefix { $0 != "\n" })
    while let last = scalars.last, last == " " || last == "\t" { scalars.removeLast() }
    return YAMLRemark(
      text: String(String.UnicodeScalarView(scalars)), line: line, column: column,
      isTrailing: line == lastLine)
  }

  /// The remark behind `|` or `>`, which the scanner takes as a part of the block.
  private static func header(of token: YAMLToken, in text: [Unicode.Scalar]) -> [YAMLRemark] {
    let line = text[token.range].prefix { $0 != "\n" }
    guard let place = line.firstIndex(of: "#") else { return [] }
    let column = token.column + place - token.range.lowerBound
    return [read(text, place, token.line, column, token.line)]
  }
}
