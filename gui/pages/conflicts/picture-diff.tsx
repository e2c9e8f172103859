import { useState } from 'preact/hooks'
import type { ConflictDiffJson } from '../../../src/rest/conflicts.ts'
import { t } from '../../i18n/texts.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyNote } from '../../ui/parts.tsx'
import { contentAddress } from '../../view-model/preview.ts'

interface PictureDiffProps {
  readonly diff: ConflictDiffJson
  readonly titles: { readonly left: string; readonly right: string }
}

/** Two pictures side by side, or one above the other with a slider between them. */
export function PictureDiff({ diff: { folder, left, name, original }, titles }: PictureDiffProps) {
  const [isSlider, setSlider] = useState(false)
  const [percent, setPercent] = useState(50)
  const [hasFailed, setFailed] = useState(false)
  const picture = (path: string, title: string) => (
    <img src={contentAddress(folder, path)} alt={title} onError={() => setFailed(true)} />
  )
  if (hasFailed) return <EmptyNote>{t('view.failed')}</EmptyNote>
  if (left === null) return <div class="pictures">{picture(name, titles.right)}</div>
  return (
    <>
      <div class="picture-choice">
        <Button pressed={!isSlider} onClick={() => setSlider(false)}>
          {t('desk.sideBySide')}
        </Button>
        <Button pressed={isSlider} onClick={() => setSlider(true)}>
          {t('desk.slider')}
        </Button>
      </div>
      {isSlider ? (
        <div class="picture-slider">
          <div class="picture-layers">
            {picture(name, titles.right)}
            <div class="picture-above" style={{ clipPath: `inset(0 ${100 - percent}% 0 0)` }}>
              {picture(original, titles.left)}
            </div>
          </div>
          <input
            type="range"
            min={0}
            max={100}
            value={percent}
            aria-label={t('desk.position')}
            onInput={({ currentTarget }) => setPercent(Number(currentTarget.value))}
          />
        </div>
      ) : (
        <div class="pictures">
          {picture(original, titles.left)}
          {picture(name, titles.right)}
        </div>
      )}
    </>
  )
}
