import "./image.css";
import { Alert, Anchor, Box, Button, Group, Loader, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, Check, Crop, ImageOff, RotateCcw } from "lucide-react";
import { useEffect, useState } from "react";
import { type File, readFile } from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import { say } from "../language/say.ts";
import { formatBytes, formatSize } from "../model/format.ts";
import { publicUrl } from "../model/image/address.ts";
import { readValues, type Values } from "../model/image/arguments.ts";
import { signCommand } from "../model/image/sign-command.ts";
import { messageOf } from "../model/message.ts";
import { Above } from "../ui/above.tsx";
import { CopyLine } from "../ui/copy.tsx";
import { fileAddress } from "../ui/file-address.ts";
import { addressOf, go, Link, usePlace } from "../ui/location.tsx";
import { Page, useTitle } from "../ui/page.tsx";
import { Segments } from "../ui/segments.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { Controls } from "./controls.tsx";
import { CropStage } from "./crop-stage.tsx";
import { type Picture, usePicture } from "./use-picture.ts";

/** An image, a control for every argument, and the resulting URL. */
export function Workbench({ path }: { path: string }) {
  const { data: file, error, refetch } = useQuery({ queryKey: ["file", path], queryFn: () => readFile(path) });
  useTitle(say("{name} in the workbench", { name: nameOf(path) }));
  if (error) {
    return (
      <Page title={nameOf(path)}>
        <Failure
          error={error}
          title={say("The picture cannot be read")}
          onRetry={() => void refetch()}
          remedy={<Above path={path} />}
        />
      </Page>
    );
  }
  return file ? (
    <Bench key={path} path={path} file={file} />
  ) : (
    <Box className="page">
      <Loading rows={3} height={160} />
    </Box>
  );
}

function Bench({ path, file }: { path: string; file: File }) {
  const { search } = usePlace();
  const [values, setValues] = useState<Values>(() => readValues(search));
  useEffect(() => go(addressOf("images", path, values), "replace"), [path, values]);
  const [isCropping, cropping] = useDisclosure(false);
  const { picture, error, isDrawing } = usePicture(path, values, file.version);
  return (
    <div className="bench">
      <section className="bench-stage" aria-label={say("Picture")}>
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <Title order={1} fz="sm" fw={400} miw={0}>
            <Anchor component={Link} href={fileAddress(path)} inherit className="bench-back">
              <ArrowLeft size={15} aria-hidden /> {nameOf(path)}
            </Anchor>
          </Title>
          <Group gap="xs" wrap="nowrap">
            <Button
              size="xs"
              variant={isCropping ? "filled" : "default"}
              leftSection={isCropping ? <Check size={14} /> : <Crop size={14} />}
              onClick={cropping.toggle}
            >
              {isCropping ? say("Done") : say("Crop")}
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<RotateCcw size={14} />}
              disabled={Object.keys(values).length === 0}
              onClick={() => setValues({})}
            >
              {say("Reset")}
            </Button>
          </Group>
        </Group>
        {isCropping ? (
          <CropStage
            path={path}
            file={file}
            values={values}
            onCrop={(crop) => setValues((before) => ({ ...before, crop }))}
          />
        ) : (
          <Stage file={file} picture={picture} isDrawing={isDrawing} />
        )}
        {error && (
          <Alert color="red" icon={<ImageOff size={18} />} role="alert" title={say("Not drawn")}>
            {messageOf(error)}
          </Alert>
        )}
        <Address path={path} file={file} values={values} />
      </section>
      <aside className="bench-controls" aria-label={say("Arguments")}>
        <Controls values={values} onChange={setValues} />
      </aside>
    </div>
  );
}

type StageProps = { file: File; picture: Picture | undefined; isDrawing: boolean };

function Stage({ file, picture, isDrawing }: StageProps) {
  const [size, setSize] = useState("");
  return (
    <div>
      <div className="stage preview" aria-busy={isDrawing}>
        {picture && (
          <img
            src={picture.url}
            alt={say("{title}, drawn with these arguments", { title: file.title })}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setSize(`${naturalWidth} × ${naturalHeight}`)
            }
          />
        )}
        {isDrawing && <Loader size="sm" className="stage-loader" aria-label={say("Drawing")} />}
      </div>
      <Group gap="md" mt={8} className="stage-facts" wrap="wrap">
        <Text size="sm" fw={600}>
          {picture ? `${size}, ${formatBytes(picture.bytes)}` : " "}
        </Text>
        <Text size="sm" c="dimmed">
          {picture && say("{type}, in {time} ms", { type: picture.type, time: Math.round(picture.tookMs) })}
        </Text>
        <Text size="sm" c="dimmed">
          {say("Source {size}", { size: formatSize(file) })}
        </Text>
      </Group>
    </div>
  );
}

const escapeHtml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

type AddressProps = { path: string; file: File; values: Values };
type Form = "url" | "html" | "sign";

/** What to copy: the URL, an HTML element, or the command that signs the URL. */
function Address({ path, file, values }: AddressProps) {
  const [form, setForm] = useState<Form>("url");
  const url = publicUrl(path, values);
  const texts: Record<Form, string> = {
    url,
    html: `<img src="${escapeHtml(url)}" alt="${escapeHtml(file.title)}">`,
    sign: signCommand(path, values),
  };
  const notes: Record<Form, string> = {
    url: say("Replace IMAGES_TOKEN with an images token."),
    html: say("Replace IMAGES_TOKEN with an images token."),
    sign: say("Prints a URL that needs no token, valid for exactly these arguments."),
  };
  return (
    <div>
      <Segments
        label={say("What to copy")}
        options={{ url: say("Address"), html: "HTML", sign: say("Signed") }}
        value={form}
        onChange={setForm}
        mb={6}
      />
      <CopyLine value={texts[form]} label={say("Copy it")} />
      <Text size="xs" c="dimmed" mt={4}>
        {notes[form]}
      </Text>
    </div>
  );
}
