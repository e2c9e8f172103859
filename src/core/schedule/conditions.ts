/** What the machine says of its power and its network. */

export type ConditionAnswer = 'yes' | 'no' | 'unknown'

interface Supply {
  readonly type: string
  readonly status: string
  readonly online: string
  readonly scope: string
}

/** Whether the machine runs on its battery. A machine without one does not. */
export function isOnBattery(supplies: readonly Supply[] | undefined): ConditionAnswer {
  if (supplies === undefined) return 'unknown'
  const own = supplies.filter(({ scope }) => scope !== 'Device')
  if (own.some(({ type, online }) => type !== 'Battery' && online === '1')) return 'no'
  return own.some(({ type, status }) => type === 'Battery' && status === 'Discharging') ? 'yes' : 'no'
}

/** Values of the property `Metered` of NetworkManager: yes, no, and what it guesses. */
const METERED: Readonly<Record<string, ConditionAnswer>> = { '1': 'yes', '2': 'no', '3': 'yes', '4': 'no' }

/** Of the output of `busctl get-property`, such as `u 4`. */
export function parseMetered(output: string): ConditionAnswer {
  const [, value = ''] = /^u (\d)\s*$/.exec(output) ?? []
  return METERED[value] ?? 'unknown'
}
