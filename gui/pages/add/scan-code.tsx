import { useEffect, useRef, useState } from 'preact/hooks'
import { detach } from '../../../src/core/errors.ts'
import { runAction } from '../../app/run-action.ts'
import { Button } from '../../ui/button.tsx'
import { t } from '../../i18n/texts.ts'

const FORMAT = 'qr_code'
const PAUSE_MS = 250

/** The part of the Barcode Detection API that is used here. */
interface Detector {
  detect(source: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>
}
interface DetectorClass {
  new (options: { readonly formats: readonly string[] }): Detector
  getSupportedFormats(): Promise<readonly string[]>
}

/** A button for the camera, in browsers that read QR codes; elsewhere nothing. */
export function ScanCode({ accepts, onFound }: CameraProps) {
  const [detector, setDetector] = useState<Detector>()
  const [isOn, setOn] = useState(false)
  useEffect(() => detach(findDetector().then(setDetector)), [])
  if (detector === undefined) return null
  const found = (text: string) => {
    setOn(false)
    onFound(text)
  }
  return (
    <>
      <Button pressed={isOn} onClick={() => setOn(!isOn)}>
        {t('join.scan')}
      </Button>
      {isOn && <Camera detector={detector} accepts={accepts} onFound={found} />}
    </>
  )
}

interface CameraProps {
  readonly accepts: (text: string) => boolean
  readonly onFound: (text: string) => void
}

function Camera({ detector, accepts, onFound }: CameraProps & { readonly detector: Detector }) {
  const video = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    const stop = new AbortController()
    const scan = async () => {
      const text = await readCode(detector, video.current!, accepts, stop.signal)
      if (text !== undefined) onFound(text)
    }
    detach(runAction(scan))
    return () => stop.abort()
  }, [])
  return <video ref={video} class="qr" aria-label={t('join.scan')} muted playsInline />
}

/** Undefined when it was stopped. Rejects when the camera is refused. */
async function readCode(
  detector: Detector,
  video: HTMLVideoElement,
  accepts: CameraProps['accepts'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
  try {
    if (signal.aborted) return undefined
    video.srcObject = stream
    await video.play()
    while (!signal.aborted) {
      const found = (await detector.detect(video)).find(({ rawValue }) => accepts(rawValue))
      if (found !== undefined) return found.rawValue
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    return undefined
  } finally {
    for (const track of stream.getTracks()) track.stop()
  }
}

async function findDetector(): Promise<Detector | undefined> {
  const Found = Reflect.get(globalThis, 'BarcodeDetector') as DetectorClass | undefined
  if (Found === undefined || !('mediaDevices' in navigator)) return undefined
  const formats = await Found.getSupportedFormats().catch((): readonly string[] => [])
  return formats.includes(FORMAT) ? new Found({ formats: [FORMAT] }) : undefined
}
