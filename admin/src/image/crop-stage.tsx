import { Loader, Text } from "@mantine/core";
import { useResizeObserver } from "@mantine/hooks";
import { type PointerEvent, useMemo, useRef, useState } from "react";
import type { File } from "../api/file.ts";
import { say } from "../language/say.ts";
import type { Values } from "../model/image/arguments.ts";
import { between, formatCrop, parseCrop, type Rectangle, type Size, turnedAs } from "../model/image/crop.ts";
import { Failure } from "../ui/state.tsx";
import { usePicture } from "./use-picture.ts";

type CropStageProps = { path: string; file: File; values: Values; onCrop(crop: string): void };

/** The whole image, rotated but not cropped; dragging on it selects the crop rectangle. */
export function CropStage({ path, file, values, onCrop }: CropStageProps) {
  const turn = values.or ?? "auto";
  const whole = useMemo(() => ({ w: "1600", h: "1600", fit: "max", or: turn }), [turn]);
  const { picture, error, isDrawing } = usePicture(path, whole, file.version);
  const [drawn, setDrawn] = useState<Size>();
  const stored = { width: file.exif.Width ?? drawn?.width ?? 1, height: file.exif.Height ?? drawn?.height ?? 1 };
  const size = drawn && turnedAs(stored, drawn);
  const crop = values.crop ?? "";
  const image = useRef<HTMLImageElement>(null);
  // Redraws the rectangle after the image has moved or resized.
  const [stage] = useResizeObserver();
  const drag = useDrag((rectangle) => size && onCrop(formatCrop(rectangle, size)));
  const rectangle = drag.rectangle ?? (size && parseCrop(crop, size));
  if (error) return <Failure error={error} title={say("Not drawn")} />;
  return (
    <div>
      {/* The argument's field is the accessible alternative. */}
      <div ref={stage} className="stage preview crop-stage" aria-busy={isDrawing} {...drag.handlers}>
        {picture && (
          <img
            ref={image}
            src={picture.url}
            alt={say("{title}, whole", { title: file.title })}
            draggable={false}
            onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setDrawn({ width, height })}
          />
        )}
        {rectangle && <Frame rectangle={rectangle} image={image.current} />}
        {isDrawing && <Loader size="sm" className="stage-loader" aria-label={say("Drawing")} />}
      </div>
      <Text size="sm" c="dimmed" mt={8} className="stage-facts" aria-live="polite">
        {crop === "" ? say("Drag on the picture to crop it.") : say("Crop: {crop}", { crop })}
      </Text>
    </div>
  );
}

function Frame({ rectangle, image }: { rectangle: Rectangle; image: HTMLImageElement | null }) {
  if (!image) return null;
  const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = image;
  return (
    <div
      className="crop-frame"
      style={{
        left: offsetLeft + rectangle.x * offsetWidth,
        top: offsetTop + rectangle.y * offsetHeight,
        width: rectangle.width * offsetWidth,
        height: rectangle.height * offsetHeight,
      }}
    />
  );
}

/** A shorter drag is a click. */
const leastPixels = 4;

/** The start of a drag on the image, and its rectangle while the pointer is down. */
function useDrag(onDone: (rectangle: Rectangle) => void) {
  const [start, setStart] = useState<{ x: number; y: number }>();
  const [rectangle, setRectangle] = useState<Rectangle>();
  const pointOf = ({ currentTarget, clientX, clientY }: PointerEvent) => {
    const box = currentTarget.querySelector("img")?.getBoundingClientRect();
    return box && { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height, box };
  };
  const stop = (): void => {
    setStart(undefined);
    setRectangle(undefined);
  };
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      if (!event.isPrimary || event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setStart(pointOf(event));
    },
    onPointerMove: (event: PointerEvent) => {
      const point = pointOf(event);
      if (start && point) setRectangle(between(start, point));
    },
    onPointerUp: (event: PointerEvent) => {
      const point = pointOf(event);
      if (start && point) {
        const dragged = between(start, point);
        const { width, height } = point.box;
        if (dragged.width * width >= leastPixels && dragged.height * height >= leastPixels) onDone(dragged);
      }
      stop();
    },
    onPointerCancel: stop,
  };
  return { rectangle, handlers };
}
