package dev.ccbridge.core.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

public final class SettingsFile {
    /** A real one has about 2 kB. */
    private static final int MAX_BYTES = 256 * 1_024;

    private final Path path;
    private String stamp = "";

    public SettingsFile(Path path) {
        this.path = path;
    }

    public Path path() {
        return path;
    }

    /** Whether the file changed since the last call, as far as the file system shows. */
    public boolean changed() {
        String now = stampNow();
        boolean changed = !now.equals(stamp);
        stamp = now;
        return changed;
    }

    public Settings load() throws SettingsException {
        try {
            if (Files.size(path) > MAX_BYTES) throw new SettingsException(path + " is larger than " + MAX_BYTES + " bytes.");
            return SettingsReader.read(Files.readString(path));
        } catch (SettingsException problem) {
            throw new SettingsException(path + " cannot be used: " + problem.getMessage());
        } catch (NoSuchFileException missing) {
            throw new SettingsException(path + " is missing.");
        } catch (IOException problem) {
            throw new SettingsException(path + " cannot be read: " + problem);
        }
    }

    /** Writes the template if there is no file; returns whether it did. */
    public boolean createIfMissing() throws IOException {
        if (Files.exists(path)) return false;
        if (path.getParent() != null) Files.createDirectories(path.getParent());
        Files.writeString(path, SettingsTemplate.text());
        return true;
    }

    private String stampNow() {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return attributes.fileKey() + " " + attributes.size() + " " + attributes.lastModifiedTime();
        } catch (IOException missing) {
            return "";
        }
    }
}
