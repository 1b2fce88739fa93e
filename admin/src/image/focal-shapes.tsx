import type { Point } from "../model/image/focal.ts";
import { cut, shapes } from "../model/image/focal.ts";

type FocalShapesProps = { src: string; size: { width: number; height: number }; point: Point };

/** What crops in three shapes keep of the picture, as `fit=crop-focal` cuts it. */
export function FocalShapes({ src, size, point }: FocalShapesProps) {
  return (
    <div className="focal-shapes" aria-hidden>
      {shapes.map(({ name, ratio }) => {
        const { width, height, left, top } = cut(size, ratio, point);
        const style = { width: `${width}%`, height: `${height}%`, left: `${left}%`, top: `${top}%` };
        return (
          <figure key={name} style={{ flex: `${ratio} 1 0`, maxWidth: ratio * 64 }}>
            <span style={{ aspectRatio: ratio }}>
              <img src={src} alt="" style={style} draggable={false} />
            </span>
            <figcaption>{name}</figcaption>
          </figure>
        );
      })}
    </div>
  );
}
