package dev.ccbridge.core.fake;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The server's end of one WebSocket, with just enough of RFC 6455 to test against, and to violate it. */
public final class FakeSocket {
    public static final int TEXT = 1;
    public static final int BINARY = 2;
    public static final int CLOSE = 8;
    public static final int PING = 9;
    public static final int PONG = 10;

    public record Frame(int opcode, boolean last, byte[] data) {}

    public final Map<String, String> headers = new HashMap<>();
    public String request;
    /** Whether it answers a close frame, as every bridge does. */
    public volatile boolean answersClose = true;
    /** Open until the peer closed the connection. */
    public final CountDownLatch over = new CountDownLatch(1);
    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private boolean saidGoodbye;

    public FakeSocket(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = socket.getOutputStream();
        request = line();
        for (String line = line(); !line.isEmpty(); line = line()) {
            String[] parts = line.split(": *", 2);
            headers.put(parts[0].toLowerCase(), parts[1]);
        }
    }

    void refuse(int status) throws IOException {
        out.write(("HTTP/1.1 " + status + " No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        socket.close();
    }

    public void accept() throws IOException {
        String key;
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1")
                    .digest((headers.get("sec-websocket-key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII));
            key = Base64.getEncoder().encodeToString(hash);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
        out.write(("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + key + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    }

    /** The next text, or null when the peer sent a close frame. Pings and close frames are answered. */
    String read() throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        while (true) {
            Frame frame = readFrame();
            if (frame.opcode == CLOSE && answersClose) {
                answerClose(frame.data);
                return null;
            }
            if (frame.opcode == PING) frame(PONG, frame.data);
            if (frame.opcode > BINARY) continue;
            text.write(frame.data);
            if (frame.last) return text.toString(StandardCharsets.UTF_8);
        }
    }

    /** The next frame; nothing is answered. */
    public Frame readFrame() throws IOException {
        int first = in.readUnsignedByte();
        return new Frame(first & 15, (first & 128) != 0, payload());
    }

    private synchronized void answerClose(byte[] data) throws IOException {
        if (!saidGoodbye) frame(CLOSE, data);
        cut();
    }

    private byte[] payload() throws IOException {
        long length = in.readUnsignedByte() & 127;
        if (length == 126) length = in.readUnsignedShort();
        else if (length == 127) length = in.readLong();
        byte[] mask = in.readNBytes(4);
        byte[] data = in.readNBytes((int) length);
        for (int at = 0; at < data.length; at++) data[at] ^= mask[at & 3];
        return data;
    }

    public void send(String text) throws IOException {
        frame(TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    public synchronized void frame(int opcode, byte[] data) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(data.length + 10).put((byte) (128 | opcode));
        if (data.length < 126) frame.put((byte) data.length);
        else if (data.length < 65_536) frame.put((byte) 126).putShort((short) data.length);
        else frame.put((byte) 127).putLong(data.length);
        frame.put(data);
        out.write(frame.array(), 0, frame.position());
    }

    /** Sends a close frame. The connection stays open for the answer: a reset could overtake the frame. */
    public synchronized void close(int code) throws IOException {
        saidGoodbye = true;
        frame(CLOSE, new byte[] {(byte) (code >> 8), (byte) code});
    }

    /** Cuts the connection, as a killed process does. */
    public void cut() {
        try {
            socket.close();
        } catch (IOException closed) {
            // It is cut.
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n' && c >= 0; c = in.read()) if (c != '\r') line.append((char) c);
        return line.toString();
    }
}
