/// Exports of what players measured: a view a row.
enum PlayerMappings {
  private typealias Column = ColumnMapping.Column

  /// Our own events, which say what they are themselves.
  static var events: ColumnMapping {
    var mapping = ColumnMapping(name: "events", records: .eventLines, columns: [])
    mapping.source = "POST /v1/events of this project, a JSON value a line"
    return mapping
  }

  /// Mux's `watch_time` is the time that somebody tried to watch: start, play, stall and seek, and
  /// no pause. It stands for the time that the item was current.
  static var mux: ColumnMapping {
    var mapping = ColumnMapping(
      name: "mux", records: .delimited(0x2C, hasQuotes: true),
      columns: [
        Column(.view, "view_id"), Column(.session, "session_id"), Column(.title, "video_id"),
        Column(.viewer, "viewer_user_id"), .instant(.time, "view_start", in: "auto"),
        .measured(.ttff, "video_startup_time", in: "ms", clock: .play),
        Column(.abandoned, "exit_before_video_start"), Column(.failed, "video_startup_failure"),
        .measured(.dwell, "watch_time", in: "ms"),
        .measured(.played, "view_playing_time", in: "ms"),
        .measured(.stall, "rebuffer_duration", in: "ms"), Column(.stalls, "rebuffer_count"),
        .measured(.bitrate, "weighted_average_bitrate", in: "bps"),
        .measured(.titleLength, "player_source_duration", in: "ms"),
        .measured(.firstByte, "request_latency", in: "ms"),
        .measured(.throughput, "request_throughput", in: "bps"),
        Column(.device, "viewer_device_category"), Column(.network, "viewer_connection_type"),
        Column(.region, "country"), Column(.version, "experiment_name"),
        Column(.edge, "view_cdn_edge_pop"), Column(.player, "player_software"),
      ])
    mapping.needsAll = false
    mapping.rest = .refused
    mapping.ignored = Set(muxIgnored.words)
    mapping.source = "Mux, Export raw video view data, export versions 2 to 14 (read 2026-11)"
    return mapping
  }

  private static let muxIgnored = """
    ad_attempt_count ad_break_count ad_break_error_count ad_break_error_percentage ad_error_count
    ad_error_percentage ad_exit_before_start_count ad_exit_before_start_percentage
    ad_impression_count ad_playback_failure_error_type_id ad_preroll_startup_time
    ad_startup_error_count ad_startup_error_percentage ad_watch_time asn asset_id audio_codec
    browser browser_version buffering_count buffering_duration buffering_rate cdn city
    client_application_name client_application_version continent_code country_name created_at
    custom_1 custom_2 custom_3 custom_4 custom_5 custom_6 custom_7 custom_8 custom_9 custom_10
    environment_id error_type error_type_id id inserted_at isp latitude live_stream_id
    live_stream_latency long_rebuffering long_resume longitude max_downscale_percentage
    max_request_latency max_upscale_percentage metro mux_api_version mux_embed_version
    mux_viewer_id operating_system operating_system_version page_load_time page_type page_url
    platform_description platform_summary playback_business_exception_error_type_id
    playback_failure_error_type_id playback_id playback_score playback_success_score
    player_autoplay player_captions_enabled player_error_code player_error_context
    player_error_message player_height player_instance_id player_language player_load_time
    player_mux_plugin_name player_mux_plugin_version player_name player_pip_enabled player_poster
    player_preload player_remote_played player_software_version player_source_domain
    player_source_height player_source_type player_source_url
    player_source_width player_startup_time player_version player_view_count player_width
    preroll_ad_asset_hostname preroll_ad_tag_hostname preroll_played preroll_requested property_id
    rebuffer_frequency rebuffer_percentage region requests_for_first_preroll seek_latency signature
    smoothness_score startup_score startup_time_score stream_type sub_property_id updated_at
    used_fullscreen video_affiliate video_brand video_cdn_trace video_codec video_content_type
    video_creator_id video_duration video_dynamic_range_type video_encoding_variant video_language
    video_producer video_quality_score video_series
    video_startup_business_exception_error_type_id video_startup_preroll_load_time
    video_startup_preroll_request_time video_stream_type video_title video_variant_id
    video_variant_name view_cdn_origin view_content_startup_time view_content_watch_time
    view_downscaling_percentage view_drm_level view_drm_type view_dropped view_dropped_frame_count
    view_end view_error_id view_has_ad view_max_downscale_percentage view_max_playhead_position
    view_max_request_latency view_max_upscale_percentage view_seek_count view_seek_duration
    view_session_id view_time_shift_enabled view_total_content_playback_time view_total_downscaling
    view_total_upscaling view_upscaling_percentage viewer_application_engine
    viewer_application_name viewer_application_version viewer_connection_speed
    viewer_device_manufacturer viewer_device_model viewer_device_name viewer_experience_score
    viewer_os_architecture viewer_os_family viewer_os_version viewer_plan viewer_plan_category
    viewer_plan_status viewer_user_agent watched
    """

  /// A session of Conviva is one playback, our view. A start that never came is a negative number:
  /// with a start error it failed, without it was left.
  static var conviva: ColumnMapping {
    var mapping = ColumnMapping(
      name: "conviva", records: .delimited(0x2C, hasQuotes: true),
      columns: [
        Column(.view, "conviva session id"), Column(.viewer, "viewerId"), Column(.title, "asset"),
        .instant(.time, "start time (unix time)", in: "epoch_s"),
        Column(.ttff, "startup time (ms)", .known("ms", .ttff), clock: .play),
        Column(.failed, "startup error"), .measured(.played, "playing time (ms)", in: "ms"),
        .measured(.stall, "buffering time (ms)", in: "ms"), Column(.stalls, "interrupts"),
        .measured(.bitrate, "average bitrate (kbps)", in: "kbps"),
        Column(.device, "device/os"), Column(.region, "country"), Column(.edge, "cdn"),
        Column(.player, "browser"), Column(.address, "ip address"),
      ])
    mapping.foldsNames = true
    mapping.needsAll = false
    mapping.negativeStartIsAbandoned = true
    mapping.rest = .refused
    mapping.ignored = [
      "state", "city", "dma", "postal code", "asn", "isp", "session tags", "stream url",
      "error list", "percentage complete", "connection induced rebuffering time",
      "video restart time", "video restart count", "video playback failure",
      "video playback failure error list", "ended status", "end time (unix time)",
      "content length", "islive", "household id",
    ]
    mapping.source =
      "Conviva Connect, content session log (once Session Source Data), CSV (read 2026-11)"
    return mapping
  }

  /// A playback a row, its fields named as the class's fields and getters without `get`.
  static var media3: ColumnMapping {
    var mapping = ColumnMapping(
      name: "media3",
      columns: [
        Column(.view, "view"), Column(.session, "session"), Column(.title, "mediaId"),
        Column(.item, "item"), .instant(.time, "time", in: "auto"),
        .measured(.ttff, "totalValidJoinTimeMs", in: "ms", clock: .play),
        Column(.abandoned, "abandonedBeforeReadyCount"),
        Column(.failed, "fatalErrorPlaybackCount"),
        .measured(.dwell, "totalElapsedTimeMs", in: "ms"),
        .measured(.played, "totalPlayTimeMs", in: "ms"),
        .measured(.stall, "totalRebufferTimeMs", in: "ms"), Column(.stalls, "totalRebufferCount"),
        .measured(.bytes, "totalBandwidthBytes", in: "B"),
        .measured(.bitrate, "meanVideoFormatBitrate", in: "bps"),
        .measured(.throughput, "meanBandwidth", in: "bps"),
        Column(.device, "device"), Column(.network, "network"), Column(.region, "region"),
        Column(.version, "version"),
      ])
    mapping.needsAll = false
    mapping.rest = .refused
    mapping.ignored = Set(media3Ignored.words)
    mapping.source = "Media3 1.8, PlaybackStats: fields, and getters without get, a playback a row"
    return mapping
  }

  private static let media3Ignored = """
    abandonedBeforeReadyRatio adPlaybackCount audioUnderrunRate backgroundJoiningCount
    droppedFramesRate endedCount endedRatio fatalErrorCount fatalErrorRate fatalErrorRatio
    firstReportedTimeMs foregroundPlaybackCount initialAudioFormatBitrateCount
    initialVideoFormatBitrateCount initialVideoFormatHeightCount joinTimeRatio maxRebufferTimeMs
    meanAudioFormatBitrate meanElapsedTimeMs meanInitialAudioFormatBitrate
    meanInitialVideoFormatBitrate meanInitialVideoFormatHeight meanJoinTimeMs meanNonFatalErrorCount
    meanPauseBufferCount meanPauseCount meanPausedTimeMs meanPlayAndWaitTimeMs meanPlayTimeMs
    meanRebufferCount meanRebufferTimeMs meanSeekCount meanSeekTimeMs meanSingleRebufferTimeMs
    meanSingleSeekTimeMs meanTimeBetweenFatalErrors meanTimeBetweenNonFatalErrors
    meanTimeBetweenRebuffers meanVideoFormatHeight meanWaitTimeMs nonFatalErrorCount
    nonFatalErrorRate playbackCount rebufferRate rebufferTimeRatio seekTimeRatio
    totalAudioFormatBitrateTimeProduct totalAudioFormatTimeMs totalAudioUnderruns
    totalBandwidthTimeMs totalDroppedFrames totalInitialAudioFormatBitrate
    totalInitialVideoFormatBitrate totalInitialVideoFormatHeight totalJoinTimeMs
    totalPauseBufferCount totalPauseCount totalPausedTimeMs totalPlayAndWaitTimeMs totalSeekCount
    totalSeekTimeMs totalVideoFormatBitrateTimeMs totalVideoFormatBitrateTimeProduct
    totalVideoFormatHeightTimeMs totalVideoFormatHeightTimeProduct totalWaitTimeMs
    validJoinTimeCount waitTimeRatio
    """

  /// An event of the log a row: a stretch of play from one server. Unknown numbers are negative.
  static var avplayer: ColumnMapping {
    var mapping = ColumnMapping(
      name: "avplayer",
      columns: [
        Column(.view, "playbackSessionID"), Column(.session, "session"), Column(.item, "item"),
        .instant(.time, "playbackStartDate", in: "auto"),
        .measured(.ttff, "startupTime", in: "s", clock: .play),
        .measured(.played, "durationWatched", in: "s"),
        Column(.stalls, "numberOfStalls", negativeIsAbsent: true),
        .measured(.bytes, "numberOfBytesTransferred", in: "B"),
        .measured(.throughput, "observedBitrate", in: "bps"),
        .measured(.bitrate, "indicatedBitrate", in: "bps"),
        Column(.url, "uri"), Column(.address, "serverAddress"), Column(.device, "device"),
        Column(.network, "network"), Column(.region, "region"), Column(.version, "version"),
      ])
    mapping.rowsAreParts = true
    mapping.foldsNames = true
    mapping.needsAll = false
    mapping.rest = .refused
    mapping.ignored = Set(
      """
      averageaudiobitrate averagevideobitrate downloadoverdue indicatedaveragebitrate
      mediarequestswwan numberofdroppedvideoframes numberofmediarequests numberofsegmentsdownloaded
      numberofserveraddresschanges observedbitratestandarddeviation observedmaxbitrate
      observedminbitrate playbackstartoffset playbacktype segmentsdownloadedduration switchbitrate
      transferduration
      """.words)
    mapping.source = "AVFoundation (iOS 18), AVPlayerItemAccessLogEvent: properties, an event a row"
    return mapping
  }
}
