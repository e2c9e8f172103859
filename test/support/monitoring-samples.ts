/** The samples of docs/samples, and the expressions in them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const SAMPLES = join(import.meta.dirname, '..', '..', 'docs', 'samples')

export function sampleText(name: string): string {
  return readFileSync(join(SAMPLES, name), 'utf8')
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
}

export function dashboardExpressions(): readonly string[] {
  const { panels } = JSON.parse(sampleText('grafana.json')) as Dashboard
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
}

export function alertExpressions(): readonly string[] {
  return Array.from(sampleText('alerts.yml').matchAll(/^ +expr: (.+)$/gm), ([, expr = '']) => expr)
}

/** The metrics that an expression names, without those that Prometheus makes itself. */
export function metricsOf(expression: string): readonly string[] {
  return expression.match(/\b(?:twinfold|syncthing|process|nodejs)_\w+/g) ?? []
}
