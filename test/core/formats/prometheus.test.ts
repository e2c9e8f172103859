import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { formatMetrics } from '../../../src/core/formats/prometheus.ts'

test('a metric is written with its help, its type and its values', () => {
  const text = formatMetrics([
    {
      name: 'a_total',
      help: 'Counts\na\\b.',
      type: 'counter',
      samples: [{ value: 1.5 }, { labels: { x: '1', y: 'é' }, value: 2e21 }],
    },
    { name: 'empty', help: 'Nothing.', type: 'gauge', samples: [] },
    {
      name: 'odd',
      help: 'Odd.',
      type: 'gauge',
      samples: [{ value: Number.NaN }, { value: Infinity }, { value: -Infinity }],
    },
  ])
  assert.equal(
    text,
    '# HELP a_total Counts\\na\\\\b.\n# TYPE a_total counter\na_total 1.5\na_total{x="1",y="é"} 2e+21\n' +
      '# HELP odd Odd.\n# TYPE odd gauge\nodd NaN\nodd +Inf\nodd -Inf\n',
  )
})

test('any label is parsed back unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'n', '}', ' ', 'é', '\u2028') }), (label) => {
      const text = formatMetrics([{ name: 'm', help: 'h', type: 'gauge', samples: [{ labels: { label }, value: 0 }] }])
      const line = text.split('\n')[2] ?? ''
      const quoted = /^m\{label="(.*)"\} 0$/s.exec(line)?.[1]
      const read = quoted?.replace(/\\(.)/gs, (_whole, sign: string) => (sign === 'n' ? '\n' : sign))
      assert.equal(read, label)
      assert.equal(text.split('\n').length, 4)
    }),
  )
})
