import { padText } from './text.ts'

/** One thing that can be done. Resolves to the lines to print: none for a change. */
export interface Verb {
  readonly summary: string
  /** As the help shows what follows the verb. */
  readonly takes?: string
  run(args: readonly string[]): Promise<readonly string[]> | readonly string[]
}

/** A place in the tree of words: what can be done here, and the places below. */
export interface Topic {
  readonly summary: string
  readonly verbs: ReadonlyMap<string, Verb>
  /** What the places below are, as the title of their list in the help. */
  readonly title: string
  readonly topics: ReadonlyMap<string, Below>
  readonly examples?: readonly string[]
}

/** A place below, not yet looked at. */
export interface Below {
  readonly summary?: string
  open(): Topic | Promise<Topic>
}

const HELP = ['--help', '-h', '-help', 'help']

export type Walked =
  | { readonly is: 'done'; readonly lines: readonly string[] }
  | { readonly is: 'unknown'; readonly word: string }

/** Follows the words down the tree and does what the last of them say. Without a verb it shows what there is. */
export async function walkTopics(root: Topic, args: readonly string[], path: string): Promise<Walked> {
  let topic = root
  for (let index = 0; ; index++) {
    const word = args[index]
    const here = [path, ...args.slice(0, index)].join(' ')
    if (word === undefined || (HELP.includes(word) && !topic.topics.has(word))) {
      return { is: 'done', lines: topicHelp(topic, here) }
    }
    const verb = topic.verbs.get(word)
    if (verb !== undefined) {
      const rest = args.slice(index + 1)
      if (rest.length === 1 && HELP.includes(rest[0]!) && rest[0] !== 'help') {
        return { is: 'done', lines: verbHelp(verb, `${here} ${word}`) }
      }
      return { is: 'done', lines: await verb.run(rest) }
    }
    const below = topic.topics.get(word)
    if (below === undefined) return { is: 'unknown', word }
    topic = await below.open()
  }
}

function verbHelp(verb: Verb, path: string): string[] {
  return [`Usage: ${path}${verb.takes === undefined ? '' : ` ${verb.takes}`}`, '', verb.summary]
}

function topicHelp(topic: Topic, path: string): string[] {
  const verbs = [...topic.verbs].map(([word, verb]) => [word, verb.summary] as const)
  const below = [...topic.topics].map(([word, { summary }]) => [word, summary ?? ''] as const)
  const examples = (topic.examples ?? []).map((example) => `  ${path} ${example}`)
  return [
    `Usage: ${path} COMMAND`,
    ...section('', topic.summary === '' ? [] : [topic.summary]),
    ...section('Commands:', columns(verbs)),
    ...section(`${topic.title}:`, columns(below)),
    ...section('Example:', examples),
    '',
    `"${path} COMMAND --help" says more about a command.`,
  ]
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...(title === '' ? [] : [title]), ...lines]
}

function columns(rows: readonly (readonly [word: string, summary: string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([word]) => word.length)) + 2
  return rows.map(([word, summary]) => `  ${padText(word, width)}${summary}`.trimEnd())
}
