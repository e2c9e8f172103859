/** One value and its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** All values of one name. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly samples: readonly Sample[]
}

/** A value that can increase and decrease. */
export function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'gauge', samples }
}

/** A value that only increases until the process restarts. */
export function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'counter', samples }
}

/** The Prometheus text format, version 0.0.4. Metrics without values are left out. */
export function formatMetrics(metrics: readonly Metric[]): string {
  const shown = metrics.filter(({ samples }) => samples.length > 0)
  return shown.map(formatMetric).join('')
}

function formatMetric({ name, help, type, samples }: Metric): string {
  const lines = samples.map(({ labels = {}, value }) => `${name}${formatLabels(labels)} ${formatValue(value)}\n`)
  const about = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return `# HELP ${name} ${about}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** Values come from folder labels and other devices, so line breaks are escaped. */
function formatLabels(labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels)
  if (entries.length === 0) return ''
  const shown = entries.map(
    ([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  )
  return `{${shown.join(',')}}`
}

function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
