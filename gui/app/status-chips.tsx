import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { addressOf } from '../base/address.ts'
import { t } from '../i18n/texts.ts'
import type { OverallStatus, StatusPart } from '../view-model/overall-status.ts'
import { overallStatusTexts } from '../view-model/overall-status-text.ts'
import { StateLabel } from '../ui/parts.tsx'

/** For the button that shows those that do not fit. */
const MORE_PX = 48

/** Everything that is true, the worst first, each with a link to what it is about; what does not fit is listed. */
export function StatusChips({ status }: { readonly status: OverallStatus }) {
  const line = useRef<HTMLUListElement>(null)
  const texts = overallStatusTexts(status)
  const fitting = Math.min(texts.length, useFitting(line, texts.join('\n')))
  const hidden = texts.length - fitting
  const id = useId()
  return (
    <div class="overall-status">
      <ul ref={line} class="status-chips">
        {texts.map((text, index) => (
          <li key={index} class={index >= fitting ? 'chip-hidden' : undefined}>
            <Chip part={status.parts[index]} tone={index === 0 ? status.tone : undefined} text={text} />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <>
          <button type="button" class="chip-more" popovertarget={id} aria-label={t('top.more', { n: hidden })}>
            +{hidden}
          </button>
          <ul id={id} popover="auto" class="menu chip-list">
            {texts.map((text, index) => (
              <li key={index}>
                <Chip part={status.parts[index]} tone={status.parts[index]?.tone} text={text} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

interface ChipProps {
  /** Undefined for the time that is left. */
  readonly part: StatusPart | undefined
  readonly tone: StatusPart['tone'] | undefined
  readonly text: string
}

function Chip({ part, tone, text }: ChipProps) {
  if (part === undefined) return <span class="soft">{text}</span>
  return (
    <a href={addressOf(...part.place)} title={text}>
      {tone === undefined ? text : <StateLabel tone={tone}>{text}</StateLabel>}
    </a>
  )
}

/** How many children of a line are in it as a whole, at least one. */
function useFitting(line: { readonly current: HTMLElement | null }, text: string): number {
  const [fitting, setFitting] = useState(Number.MAX_SAFE_INTEGER)
  useEffect(() => {
    const element = line.current
    if (element === null) return
    const measure = () => {
      const ends = [...element.children].map((child) => (child as HTMLElement).offsetLeft + child.scrollWidth)
      const isAll = (ends.at(-1) ?? 0) <= element.clientWidth + element.offsetLeft
      const limit = element.clientWidth + element.offsetLeft - MORE_PX
      setFitting(isAll ? ends.length : Math.max(1, ends.filter((end) => end <= limit).length))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [text])
  return fitting
}
