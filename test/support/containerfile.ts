/** The instructions of a Containerfile, as far as ours uses them: any other is refused, so that none is left out. */
interface ImageStep {
  readonly instruction: 'COPY' | 'ENV' | 'RUN' | 'WORKDIR'
  readonly text: string
}

export interface ImageStage {
  readonly name: string
  readonly base: string
  readonly steps: readonly ImageStep[]
}

/** What a container of the image starts with. */
export interface ImageSettings {
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  readonly entryPoint: readonly string[]
  readonly command: readonly string[]
  readonly healthCheck: readonly string[]
  readonly volumes: readonly string[]
  readonly ports: readonly string[]
}

export interface ImageDefinition {
  readonly stages: readonly ImageStage[]
  readonly settings: ImageSettings
}

const STEPS: readonly string[] = ['COPY', 'ENV', 'RUN', 'WORKDIR']

/** Reads the file; settings are those of its last stage. */
export function parseContainerfile(file: string): ImageDefinition {
  const defaults = new Map<string, string>()
  const stages: { name: string; base: string; steps: ImageStep[] }[] = []
  const settings = new Map<string, string>()
  for (const [instruction, text] of instructionsOf(file)) {
    if (instruction === 'ARG') {
      const [name = '', value = ''] = text.split('=')
      defaults.set(name, value)
    } else if (instruction === 'FROM') {
      const [base = '', , name = ''] = text.split(/\s+/)
      stages.push({
        name,
        base: base.replaceAll(/\$\{(\w+)\}/g, (_, arg: string) => defaults.get(arg) ?? ''),
        steps: [],
      })
      settings.clear()
    } else if (STEPS.includes(instruction)) {
      stages.at(-1)?.steps.push({ instruction: instruction as ImageStep['instruction'], text })
    } else if (/^(?:LABEL|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD)$/.test(instruction)) {
      settings.set(instruction, text)
    } else throw new Error(`the instruction ${instruction} of the Containerfile is not known to the test`)
  }
  return { stages, settings: settingsOf(stages.at(-1)?.steps ?? [], settings) }
}

function instructionsOf(file: string): (readonly [string, string])[] {
  const lines = file.split('\n').filter((line) => !line.trimStart().startsWith('#'))
  const joined = lines.join('\n').replaceAll(/\\\n\s*/g, ' ')
  return joined
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const end = line.indexOf(' ')
      return [line.slice(0, end), line.slice(end).trim()]
    })
}

function settingsOf(steps: readonly ImageStep[], settings: ReadonlyMap<string, string>): ImageSettings {
  const list = (name: string, text = settings.get(name) ?? '[]') => JSON.parse(text) as string[]
  const health = settings.get('HEALTHCHECK') ?? 'CMD []'
  return {
    environment: Object.fromEntries(
      steps.flatMap(({ instruction, text }) => (instruction === 'ENV' ? variablesOf(text) : [])),
    ),
    directory: steps.findLast(({ instruction }) => instruction === 'WORKDIR')?.text ?? '/',
    entryPoint: list('ENTRYPOINT'),
    command: list('CMD'),
    healthCheck: list('HEALTHCHECK', health.slice(health.indexOf('CMD ') + 'CMD '.length)),
    volumes: list('VOLUME'),
    ports: (settings.get('EXPOSE') ?? '').split(/\s+/),
  }
}

/** Of an ENV: names and values without blanks. */
export function variablesOf(text: string): (readonly [string, string])[] {
  return text.split(/\s+/).map((word) => {
    const end = word.indexOf('=')
    return [word.slice(0, end), word.slice(end + 1)]
  })
}
