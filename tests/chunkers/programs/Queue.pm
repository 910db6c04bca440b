package Job::Queue;

use strict;
use warnings;

our $VERSION = '1.02';

=head1 NAME

Job::Queue - runs jobs in their order

=cut

sub new {
    my ($class, %options) = @_;
    my $self = { jobs => [], limit => $options{limit} // 10 };
    return bless $self, $class;
}

# Adds a job at the end.
sub push_job {
    my ($self, $job) = @_;
    die "queue is full\n" if @{ $self->{jobs} } >= $self->{limit};
    push @{ $self->{jobs} }, $job;
    return scalar @{ $self->{jobs} };
}

sub run_all {
    my $self = shift;
    while (my $job = shift @{ $self->{jobs} }) {
        $job->();
    }
}

package Job::Queue::Empty;

sub message { 'nothing to do' }

1;
