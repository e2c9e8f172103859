/**
 * Settings that are read, kept and written for other programs with the same configuration, but change nothing in this
 * one. User interfaces do not offer them. A test compares this list with the sources.
 */
export const WITHOUT_EFFECT = {
  folder: [
    'blockIndexing',
    'copyRangeMethod',
    'junctionsAsDirs',
    'maxConcurrentWrites',
    'pullerDelayS',
    'weakHashThresholdPct',
  ],
  device: ['remoteGUIPort'],
  options: [
    'cacheIgnoredFiles',
    'crURL',
    'crashReportingEnabled',
    'databaseTuning',
    'featureFlags',
    'sendFullIndexOnUpgrade',
    'setLowPriority',
    'startBrowser',
    'stunKeepaliveMinS',
    'stunKeepaliveStartS',
    'stunServers',
    'trafficClass',
    'urAccepted',
    'urInitialDelayS',
    'urPostInsecurely',
    'urSeen',
    'urURL',
    'urUniqueId',
  ],
  gui: ['theme'],
} as const
