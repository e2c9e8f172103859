/**
 * A severity. The page shows it as text, with an icon and a colour of the same meaning. `away`: offline, no
 * error; `off`: not in use.
 */
export type Tone = 'good' | 'busy' | 'wait' | 'bad' | 'off' | 'paused' | 'away'
