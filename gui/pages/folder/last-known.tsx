import type { ComponentChildren } from 'preact'
import { useLive } from '../../live/live.ts'
import { t } from '../../i18n/texts.ts'
import { folderById, lastKnownCode } from '../../view-model/last-known.ts'

interface LastKnownProps {
  readonly folder: string
  readonly children: ComponentChildren
}

/** What is known of the items of a folder: in grey, and named as the last known state, while nothing follows them. */
export function LastKnown({ folder, children }: LastKnownProps) {
  const code = useLive((state) => lastKnownCode(state, folderById(state, folder)))
  if (code === undefined) return <>{children}</>
  return (
    <div class="last-known">
      <p class="soft files-note" role="note">
        {t(`lastKnown.${code}`)}
      </p>
      {children}
    </div>
  )
}
