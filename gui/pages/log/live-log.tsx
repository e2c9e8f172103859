import { useState } from 'preact/hooks'
import { FACILITY_NAMES } from '../../../src/core/facilities.ts'
import { setParams, useParam } from '../../base/route.ts'
import { filterLog, groupLines, logText, type LogEntry, type LogFilter, type LogLevel } from '../../view-model/log.ts'
import { language } from '../../i18n/language.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton, Section, Skeleton } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { useFollow } from './use-follow.ts'
import { useLog } from './use-log.ts'

/** The log as it is written, newest at the bottom, with filters. */
export function LiveLog() {
  const [running, setRunning] = useState(true)
  const [afterId, setAfterId] = useState(0)
  const [text, level, facility] = [useParam('search')[0], useParam('level')[0], useParam('facility')[0]]
  const filter: LogFilter = { text, level: levelOf(level), facility, afterId }
  const entries = useLog(running)
  const shown = filterLog(entries ?? [], filter)
  const actions = (
    <>
      <Button icon={running ? 'pause' : 'play'} pressed={!running} onClick={() => setRunning(!running)}>
        {running ? t('do.pause') : t('do.resume')}
      </Button>
      <CopyButton text={logText(shown)} />
      <Button icon="trash" onClick={() => setAfterId(entries?.at(-1)?.id ?? 0)}>
        {t('log.clear')}
      </Button>
    </>
  )
  return (
    <Section title={t('log.live')} actions={actions}>
      <div class="log-panel">
        <Filters filter={filter} shown={shown.length} />
        {entries === undefined ? <Skeleton lines={5} /> : <Lines entries={shown} isEmpty={entries.length === 0} />}
      </div>
    </Section>
  )
}

interface FiltersProps {
  readonly filter: LogFilter
  readonly shown: number
}

const LEVELS = ['debug', 'info', 'warning'] as const satisfies readonly LogLevel[]

function levelOf(text: string): LogLevel {
  return LEVELS.find((level) => level === text) ?? 'debug'
}

/** What is chosen is part of the address. */
function Filters({ filter, shown }: FiltersProps) {
  const names: Readonly<Record<LogLevel, string>> = {
    debug: t('log.all'),
    info: t('log.infoUp'),
    warning: t('log.warningsOnly'),
  }
  return (
    <div class="log-filters" role="search">
      <input
        type="search"
        value={filter.text}
        placeholder={t('log.search')}
        aria-label={t('log.search')}
        spellcheck={false}
        onInput={(event) => setParams({ search: event.currentTarget.value })}
      />
      <select
        value={filter.level}
        aria-label={t('log.level')}
        onChange={(event) => setParams({ level: event.currentTarget.value })}
      >
        {LEVELS.map((level) => (
          <option key={level} value={level}>
            {names[level]}
          </option>
        ))}
      </select>
      <select
        value={filter.facility}
        aria-label={t('log.facility')}
        onChange={(event) => setParams({ facility: event.currentTarget.value })}
      >
        <option value="">{t('log.allFacilities')}</option>
        {FACILITY_NAMES.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <span class="soft">{t('log.shown', { n: shown })}</span>
    </div>
  )
}

function Lines({ entries, isEmpty }: { readonly entries: readonly LogEntry[]; readonly isEmpty: boolean }) {
  const { box, content, following, scrolled, follow } = useFollow()
  const time = new Intl.DateTimeFormat(language.get(), {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  return (
    <div class="log-frame">
      <div
        ref={box}
        class="log-lines"
        role="log"
        aria-live="off"
        aria-label={t('log.live')}
        tabIndex={0}
        onScroll={scrolled}
      >
        <div ref={content}>
          {entries.length === 0 ? (
            <p class="soft">{isEmpty ? t('log.none') : t('log.noMatch')}</p>
          ) : (
            <ol>
              {groupLines(entries).map(({ entry, count }) => (
                <Line key={entry.id} entry={entry} count={count} time={time} />
              ))}
            </ol>
          )}
        </div>
      </div>
      {!following && (
        <div class="log-follow">
          <Button icon="down" onClick={follow}>
            {t('log.follow')}
          </Button>
        </div>
      )}
    </div>
  )
}

interface LineProps {
  readonly entry: LogEntry
  readonly count: number
  readonly time: Intl.DateTimeFormat
}

function Line({ entry, count, time }: LineProps) {
  const at = new Date(entry.timeMs)
  return (
    <li class={`log-line ${entry.level}`}>
      <time dateTime={at.toISOString()} title={at.toISOString()}>
        {time.format(at)}
      </time>
      <span class="log-level">{t(`log.${entry.level}`)}</span>
      <span class="log-facility">{entry.facility}</span>
      <span class="log-text">{entry.text}</span>
      {count > 1 && <span class="count">{t('log.times', { n: count })}</span>}
    </li>
  )
}
